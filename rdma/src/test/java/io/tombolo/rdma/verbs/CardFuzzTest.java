// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.DeceivedChannel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.HonestExchange;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.SpoiledWords;
import io.tombolo.rdma.staged.TokenHolder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Somebody who holds the token and proves it, and then shows spoiled cards of queue pairs, or none,
 * and says other words at the wrong time. Only the channel with him may fail of it.
 */
public final class CardFuzzTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final SlotGeometry SMALL = new SlotGeometry(3, 192);
  private static final long SEED = Long.getLong("tombolo.seed", 31);
  private static final int STRANGERS = 120;
  private static final int HONEST_EVERY = 20;
  private static final byte[] READY = {'R'};
  private static final byte[] WORDS = {'R', RcMessages.WAKE, RcMessages.REST, RcMessages.YES, 0};

  private final JobToken token = JobToken.random();

  private interface Opening {
    Fabric open(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind);
  }

  @DataProvider
  Object[][] fabrics() {
    Opening rc = VerbsFabrics::rc;
    Opening uc = VerbsFabrics::uc;
    Opening ud = VerbsFabrics::ud;
    return new Object[][] {{"rc", rc}, {"uc", uc}, {"ud", ud}};
  }

  @Test(dataProvider = "fabrics", timeOut = 180_000)
  public void shouldHarmNobodyElseWhenCardsAreSpoiled(String name, Opening opening) {
    System.out.println(name + ": seed " + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    SpoiledWords spoiled = new SpoiledWords(random);
    try (Fabric low = open(opening, 0);
        Fabric high = open(opening, 1);
        Channel from = low.connect(1, high.address(), 1, Deadline.after(BUDGET));
        Channel to = high.connect(0, low.address(), 1, Deadline.after(BUDGET))) {
      exchange(from, to, low, high);
      long objects = LateEnds.living();
      byte[] address = high.address();
      byte[] listener = Arrays.copyOfRange(address, PortCard.SIZE_BYTES, address.length);
      for (int i = 0; i < STRANGERS; i++) {
        try (DeceivedChannel deceived = new DeceivedChannel(high, low, 2 + i);
            TokenHolder stranger = new TokenHolder(high, listener, token, 2 + i, SMALL)) {
          byte[] card = cardOf(name, stranger);
          stranger.say(random.nextInt(4) == 0 ? card : spoiled.of(card));
          deceived.listen();
          stranger.say(random.nextBoolean() ? READY : spoiled.of(WORDS));
          deceived.listen();
        }
        if (i % HONEST_EVERY == 0) {
          exchange(from, to, low, high);
        }
      }
      exchange(from, to, low, high);
      TokenHolder.drive(() -> LateEnds.living() <= objects, low, high); // once pairs have rested
      assertEquals(LateEnds.living(), objects, "objects of the NIC");
    }
  }

  private static void exchange(Channel from, Channel to, Fabric low, Fabric high) {
    HonestExchange.over(from, to, condition -> TokenHolder.drive(condition, low, high));
  }

  /** The victim's own card, which is one as it should be; over rc it wakes up first. */
  private static byte[] cardOf(String fabric, TokenHolder stranger) {
    if (fabric.equals(RcMedium.NAME)) {
      stranger.say(new byte[] {RcMessages.WAKE});
      stranger.hear(1);
    }
    return stranger.hear(PairCard.SIZE_BYTES);
  }

  private Fabric open(Opening opening, int rank) {
    FabricSettings settings =
        new FabricSettings(rank, token, HostPinner.none(), SMALL, Ticker.systemTicker());
    VerbsSettings verbs = VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()));
    return opening.open(
        settings,
        verbs.withDevice(EmulatedHca.device(rank)),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }
}
