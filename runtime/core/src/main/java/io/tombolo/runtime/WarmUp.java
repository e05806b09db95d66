// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.equipment.Warmth;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.util.List;
import java.util.Optional;

/**
 * Calls for practice, made when all ranks have met and before any of them may call. A JVM loads
 * code when it is first run and compiles what runs often; until then a call takes a hundred times
 * as long, on every rank that waits for this one. They are calls of {@linkplain RankGroup#borrowing
 * a group that nobody else sees}, with the job's libraries and devices: the communicator itself
 * begins at number 1, with nothing counted and nothing recorded.
 *
 * <p>All ranks make as many. At the end of each turn they sum up who has no time left; where that
 * is anyone, they end together. Whether there is a warm-up at all, their descriptors say: all have
 * to be ready for it, and who is warm already is not.
 */
final class WarmUp {
  /** Groups that users make are counted from 1. */
  private static final long GROUP = 1L << 30;

  /** A few elements go through the ranks' channels, many through a library where one joins all. */
  private static final int FEW = 2;

  private static final int MANY = 16 << 10;

  private static final CallOptions SOON =
      new CallOptions(Optional.empty(), true, false, CallOptions.Returns.SOON);

  private final Communicator communicator;
  private final long endNs;
  private final DeviceMemory send;
  private final DeviceMemory receive;
  private final Stream stream;
  private final PinnedStage word;
  private int calls;

  /** Opens what the calls work with on {@code stack}; nobody has time left after {@code endNs}. */
  private WarmUp(Communicator communicator, long endNs, CloseStack stack) {
    long sizeBytes = (long) MANY * Float.BYTES;
    this.communicator = communicator;
    this.endNs = endNs;
    this.send = stack.opened(communicator.device().allocate(sizeBytes));
    this.receive = stack.opened(communicator.device().allocate(sizeBytes));
    this.stream = stack.opened(communicator.device().newStream());
    this.word =
        stack.opened(
            new PinnedStage(communicator.device(), stream, Float.BYTES, communicator.timeout()));
    communicator.device().fillAsync(send.address(), (byte) 0, sizeBytes, stream);
  }

  /** Whether {@code ranks} make calls for practice. */
  static boolean isAgreed(List<RankDescriptor> ranks) {
    return ranks.size() > 1 && ranks.stream().allMatch(RankDescriptor::warmsUp);
  }

  /**
   * Makes them with the other ranks of {@code session}, which all call this; returns how many.
   *
   * @throws TomboloException as any call does, if a rank fails or does not come
   */
  static int run(Session session) {
    long endNs = System.nanoTime() + Warmth.limitOf(session.environment()).toNanos();
    try {
      RankGroup group =
          session.openBeside(session.everyone(), GROUP, session.environment().deadline());
      int calls = run(new Communicator(session, group), endNs);
      session.close(group);
      Warmth.reached();
      return calls;
    } catch (TomboloException e) {
      throw e.metBy("rank " + session.rank() + " was making calls for practice, to join warm");
    }
  }

  private static int run(Communicator communicator, long endNs) {
    CloseStack stack = new CloseStack();
    WarmUp warmUp = new WarmUp(communicator, endNs, stack);
    while (warmUp.turn()) {
      // until somebody has no time left
    }
    stack.close(); // not after a failure: a library may still be using the buffers
    return warmUp.calls;
  }

  /** In the ways in which programs call; whether all ranks have time for another. */
  private boolean turn() {
    sum(FEW, CallOptions.BLOCKING);
    sum(FEW, SOON);
    sum(FEW, CallOptions.STANDARD);
    sum(MANY, CallOptions.BLOCKING);
    return hasTimeEverywhere();
  }

  private boolean hasTimeEverywhere() {
    word.bytes().putFloat(0, System.nanoTime() - endNs < 0 ? 0 : 1);
    word.write(send.address(), Float.BYTES);
    sum(1, CallOptions.BLOCKING);
    word.read(receive.address(), Float.BYTES);
    return word.bytes().getFloat(0) == 0;
  }

  private void sum(long count, CallOptions options) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    communicator
        .call(new PlacedCall(call, send.address(), receive.address()), options, stream)
        .await(communicator.timeout());
    calls++;
  }
}
