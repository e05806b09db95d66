// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.base.Ticker;
import com.google.common.primitives.Bytes;
import io.tombolo.base.Availability;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.DeceivedChannel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.HonestExchange;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.TokenHolder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.testng.SkipException;
import org.testng.annotations.Test;

/**
 * Somebody who proves the token and then spoils where his UCX is: none of it comes to UCX, which
 * would believe it, and no other channel is harmed.
 */
public final class UcxStrangersTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final long SEED = Long.getLong("tombolo.seed", 37);
  private static final int STRANGERS = 60;
  private static final int HONEST_EVERY = 20;
  private static final int HEAD_BYTES = 16;
  private static final int LENGTH_AT = 6;

  private final JobToken token = JobToken.random();

  @Test(timeOut = 180_000)
  public void shouldHarmNobodyElseWhenIntroductionsAreSpoiled() {
    if (UcxLibrary.availability() instanceof Availability.Missing missing) {
      throw new SkipException("no UCX here: " + missing.cause() + "; " + missing.fix());
    }
    System.out.println("seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    try (Fabric low = open(0);
        Fabric high = open(1);
        Channel from = low.connect(1, high.address(), 1, Deadline.after(BUDGET));
        Channel to = high.connect(0, low.address(), 1, Deadline.after(BUDGET))) {
      exchange(from, to, low, high);
      for (int i = 0; i < STRANGERS; i++) {
        try (DeceivedChannel deceived = new DeceivedChannel(high, low, 2 + i);
            TokenHolder stranger = new TokenHolder(high, high.address(), token, 2 + i, SMALL)) {
          stranger.say(spoiled(introduction(stranger), random));
          deceived.listen();
        }
        if (i % HONEST_EVERY == 0) {
          exchange(from, to, low, high);
        }
      }
      exchange(from, to, low, high);
    }
  }

  /** The victim's own, which is one as it should be. */
  private static byte[] introduction(TokenHolder stranger) {
    byte[] head = stranger.hear(HEAD_BYTES);
    int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getShort(LENGTH_AT);
    return Bytes.concat(head, stranger.hear(length + JobToken.SIZE_BYTES));
  }

  private static byte[] spoiled(byte[] words, SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      return Arrays.copyOf(words, random.nextInt(words.length));
    }
    words[random.nextInt(words.length)] ^= (byte) (1 << random.nextInt(8));
    return words;
  }

  private static void exchange(Channel from, Channel to, Fabric low, Fabric high) {
    HonestExchange.over(from, to, condition -> TokenHolder.drive(condition, low, high));
  }

  private Fabric open(int rank) {
    return new UcxProvider()
        .open(
            new FabricSettings(rank, token, HostPinner.none(), SMALL, Ticker.systemTicker()),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Map.of());
  }
}
