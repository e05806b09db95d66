// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.simulation.World;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * How careless programs call: legally, or so that the call is refused. Each time the sum that is
 * called must be right in the end.
 */
final class SimulatedHabits {
  /** What a rank does with a communicator. All ranks have the same habits, in the same order. */
  enum Habit {
    WAIT_TOO_SHORT,
    BE_INTERRUPTED,
    ALLOW_FOR_EVER,
    MEET_FOR_EVER,
    GIVE_NO_STREAM,
    WAIT_FOR_THE_LAST
  }

  /** Each of them is more nanoseconds, or nearly more, than a {@code long} can count. */
  private static final List<Duration> FOR_EVER =
      List.of(
          Duration.ofNanos(Long.MAX_VALUE),
          Duration.ofDays(366 * 293),
          Duration.ofMillis(Long.MAX_VALUE),
          Duration.ofSeconds(Long.MAX_VALUE));

  /** More calls than have a place. */
  private static final int MANY = 70;

  private static final Duration LONG = SimulatedJob.TIMEOUT.multipliedBy(2);
  private static final int MAX_PAUSE_BITS = 28;
  private static final int MAX_STEP_BITS = 10;

  private final World world;
  private final Random random;
  private final int count;

  /** Whether the thread is in a call that an interrupt is to meet. */
  private boolean isInCall;

  /**
   * @param random draws what ranks may differ in
   * @param count how many elements each sum has
   */
  SimulatedHabits(World world, Random random, int count) {
    this.world = world;
    this.random = random;
    this.count = count;
  }

  /** Some time that is more nanoseconds than can be added to. */
  static Duration forEver(Random random) {
    return FOR_EVER.get(random.nextInt(FOR_EVER.size()));
  }

  void follow(Habit habit, Communicator communicator) {
    pause();
    try (Stream stream = communicator.device().newStream()) {
      SimulatedSum sum = new SimulatedSum(communicator, stream, count);
      switch (habit) {
        case WAIT_TOO_SHORT -> waitTooShort(sum);
        case BE_INTERRUPTED -> beInterrupted(sum);
        case ALLOW_FOR_EVER -> allowForEver(sum);
        case MEET_FOR_EVER -> meetForEver(communicator, sum);
        case GIVE_NO_STREAM -> giveNoStream(communicator, sum);
        case WAIT_FOR_THE_LAST -> waitForTheLast(communicator, stream, sum);
      }
      sum.check();
      sum.close();
    }
  }

  /** So that others come sooner or later. */
  void pause() {
    boolean unused = world.awaitCondition(() -> false, drawn(MAX_PAUSE_BITS));
  }

  private int drawn(int maxBits) {
    return random.nextInt(1 << random.nextInt(maxBits));
  }

  private CallOptions options() {
    return random.nextBoolean() ? CallOptions.STANDARD : CallOptions.BLOCKING;
  }

  private void waitTooShort(SimulatedSum sum) {
    Work work = sum.call(CallOptions.STANDARD);
    Duration limit = Duration.ofNanos(drawn(MAX_PAUSE_BITS));
    while (!hasEnded(work, limit)) {
      limit = limit.multipliedBy(2).plusNanos(1);
    }
  }

  private static boolean hasEnded(Work work, Duration limit) {
    try {
      work.await(limit);
      return true;
    } catch (DeadlineExceededException e) {
      requireUsable(e);
      return false;
    }
  }

  private static void requireUsable(TomboloException e) {
    if (!e.advice().communicatorUsable()) {
      throw new AssertionError("all goes on, but this says that nothing does", e);
    }
  }

  /** Then it still is, and nothing is lost. */
  private void beInterrupted(SimulatedSum sum) {
    Thread mine = Thread.currentThread();
    isInCall = true;
    world.afterSteps(
        drawn(MAX_STEP_BITS),
        () -> {
          if (isInCall) {
            mine.interrupt();
          }
        });
    Work work = sum.call(options());
    try {
      work.await(LONG);
    } catch (AbortedException e) {
      requireUsable(e);
      if (!mine.isInterrupted()) {
        throw new AssertionError("the interrupt is lost", e);
      }
    }
    isInCall = false;
    boolean unused = Thread.interrupted();
    work.await(LONG);
  }

  private void allowForEver(SimulatedSum sum) {
    Work work = sum.call(options().withTimeout(forEver(random)));
    if (random.nextBoolean()) {
      work.await();
    } else {
      work.await(forEver(random));
    }
  }

  private void meetForEver(Communicator communicator, SimulatedSum sum) {
    communicator.meet(forEver(random));
    Agreed agreed = communicator.agree(-1, forEver(random));
    if (agreed.ranks().size() != communicator.size()) {
      throw new AssertionError("not all have agreed: " + agreed);
    }
    sum.call(options()).await(LONG);
  }

  /** Some ranks do, and others do not: what is refused was not called. */
  private void giveNoStream(Communicator communicator, SimulatedSum sum) {
    Stream closed = communicator.device().newStream();
    closed.close();
    for (Stream none : new Stream[] {null, closed}) {
      if (random.nextBoolean()) {
        SimulatedRefusals.require("a call on " + none, () -> sum.call(options(), none));
      }
    }
    sum.call(options()).await(LONG);
  }

  /** Makes calls until they have no place, and then waits for the last of them alone. */
  private static void waitForTheLast(Communicator communicator, Stream stream, SimulatedSum sum) {
    for (int i = 0; i < MANY; i++) {
      Work unused = communicator.barrier(stream);
    }
    sum.call(CallOptions.STANDARD).await(LONG);
  }
}
