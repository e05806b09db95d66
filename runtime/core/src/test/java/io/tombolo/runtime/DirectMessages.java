// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Messages between ranks 0 and 1 whose NICs reach their devices' memory: nothing is copied. */
final class DirectMessages {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Longer than a segment, and with a last slot that is not full. */
  private static final int BYTES = (9 << 20) + 20_000;

  /** As many as may be under way: whoever breaks off may have to wait for its turn meanwhile. */
  private static final int MESSAGES = 60;

  private final Communicator all;
  private final int peer;

  DirectMessages(Communicator all) {
    this.all = all;
    this.peer = 1 - all.rank();
  }

  /** Both ways; the first message opens the channel, those after it find their receives posted. */
  void run() throws InterruptedException {
    checkWay("rc (direct)");
    for (int round = 0; round < 4; round++) {
      Traffic before = all.traffic();
      carry(round % 2, round);
      Traffic after = all.traffic();
      long copied = after.copiedBytes() - before.copiedBytes();
      long direct = after.directBytes() - before.directBytes();
      if (after.stagedBytes() > 0 || (round > 0 && (copied > 0 || direct != BYTES))) {
        throw new IllegalStateException("round " + round + ": from " + before + " to " + after);
      }
    }
  }

  /**
   * The same, where only the sender's NIC reaches the device; what faults lose counts as copied.
   */
  void runLossy() throws InterruptedException {
    checkWay("uc (direct out, staged in)");
    for (int round = 0; round < 4; round++) {
      boolean sends = all.rank() == round % 2;
      Traffic before = all.traffic();
      carry(round % 2, round);
      Traffic after = all.traffic();
      long staged = after.stagedBytes() - before.stagedBytes();
      long copied = after.copiedBytes() - before.copiedBytes();
      long direct = after.directBytes() - before.directBytes();
      if (staged != (sends ? 0 : BYTES)
          || (sends ? copied > BYTES / 20 : copied != BYTES)
          || (sends ? direct < BYTES : direct > 0)) {
        throw new IllegalStateException("round " + round + ": from " + before + " to " + after);
      }
    }
  }

  private void checkWay(String wanted) {
    String route = all.routes().get(peer);
    if (!route.startsWith(wanted)) {
      throw new IllegalStateException("the way is " + route);
    }
  }

  /**
   * Rank 1 sends without end; once NICs or devices move bytes, rank {@code who}, whose calls come
   * last, dies or aborts. Who lives is told, and that memory is still in use; freeing it all the
   * same, as happens here, is harmless.
   */
  void breakOff(int who, boolean dies) throws InterruptedException {
    try (Stream stream = all.device().newStream();
        DeviceArray array = new DeviceArray(all.device(), stream, BYTES)) {
      DeviceBuffer buffer = array.buffer(DataType.U8, BYTES);
      long before = moved();
      List<Work> works = new ArrayList<>();
      if (all.rank() == who) {
        // a call of the other's that came after the end would be refused
        DeathInTheLibrary.awaitOthers(all);
      }
      for (int i = 0; i < MESSAGES; i++) {
        works.add(
            all.rank() == 1 ? all.send(buffer, peer, stream) : all.receive(buffer, peer, stream));
      }
      if (all.rank() != who) {
        DeathInTheLibrary.tellVictim(all); // and waits for nothing that the end could overtake
      }
      Work last = works.get(works.size() - 1);
      while (moved() == before && !last.isDone()) {
        Thread.sleep(1);
      }
      if (dies && all.rank() == who) {
        Runtime.getRuntime().halt(77);
      }
      if (!dies && all.rank() == who) {
        last.abort();
      }
      checkFailure(last, !dies && all.rank() == who, dies);
      boolean isBetweenTwo = (moved() - before) % BYTES == 0;
      if (!isBetweenTwo && works.stream().allMatch(Work::buffersReleased)) {
        throw new IllegalStateException("a NIC may still use the memory: " + all.traffic());
      }
      array.download();
    }
  }

  /** Bytes of messages that NICs or devices have moved. */
  private long moved() {
    Traffic traffic = all.traffic();
    return traffic.directBytes() + traffic.engineBytes();
  }

  /** Who hears of an abort, from its peer or because the channel breaks, is told of that rank. */
  private void checkFailure(Work last, boolean own, boolean dies) {
    try {
      last.await(LIMIT);
    } catch (PeerFailedException | AbortedException e) {
      if (!(dies && e instanceof AbortedException)
          && e.getMessage().contains(own ? "was aborted by its caller" : "rank " + peer)) {
        return;
      }
      throw new IllegalStateException("rank " + all.rank() + " was told", e);
    }
    throw new IllegalStateException("rank " + all.rank() + " was not told");
  }

  private void carry(int sender, int seed) throws InterruptedException {
    byte[] sent = new byte[BYTES];
    new Random(seed).nextBytes(sent);
    try (Stream stream = all.device().newStream();
        DeviceArray array = new DeviceArray(all.device(), stream, BYTES)) {
      if (all.rank() == sender) {
        array.bytes().put(sent);
        array.upload();
        all.meet(LIMIT);
        all.send(array.buffer(DataType.U8, BYTES), peer, stream).await(LIMIT);
      } else {
        Work received = all.receive(array.buffer(DataType.U8, BYTES), peer, stream);
        Thread.sleep(300); // fixed time: nobody is told when the sender knows that it is posted
        all.meet(LIMIT);
        received.await(LIMIT);
        array.download();
        byte[] found = new byte[BYTES];
        array.bytes().get(found);
        if (!Arrays.equals(found, sent)) {
          throw new IllegalStateException(
              "seed " + seed + ": byte " + Arrays.mismatch(found, sent) + " differs");
        }
      }
    }
  }
}
