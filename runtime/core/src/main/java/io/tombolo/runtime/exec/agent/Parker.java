// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.NativeWaiter;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the agent's thread parks while nothing is under way: until somebody unparks it, a descriptor
 * can be read, or a timer of a fabric runs out. Where duties cannot say what they wait for, and
 * where the system has no such waiter, it naps instead.
 *
 * <p><b>Why no wake-up is lost.</b> What gives the agent work comes in one of three ways.
 *
 * <ul>
 *   <li><i>A thread of this process hands something in, then {@linkplain #unpark unparks}.</i> It
 *       writes {@code unparked} and then reads {@code parked}; the agent, about to sleep, writes
 *       {@code parked} and then reads {@code unparked}. Both are volatile, so at least one of them
 *       sees what the other wrote: either the agent does not sleep, or it is signalled, and a
 *       signal ends also a wait that has not begun yet. {@code unparked} is cleared only where a
 *       round begins, which then sees what was handed in before.
 *   <li><i>Something comes from outside.</i> A descriptor that is readable when it is watched ends
 *       the wait at once; there is no moment between the last round and the wait in which it could
 *       be missed. A completion queue raises no event for what lies in it already: so the fabric
 *       arms it, looks once more, and only then lets the agent wait.
 *   <li><i>A caller makes rounds while the agent sleeps,</i> and changes what there is to wait for.
 *       It unparks when it leaves.
 * </ul>
 *
 * <p>{@link #unpark} is for any thread, everything else for the agent's.
 */
final class Parker implements WakeUps, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Parker.class);
  private static final long MS_NS = 1_000_000;

  private final long maxNs;
  private final long napNs;
  private final AtomicBoolean unparked = new AtomicBoolean();
  private volatile boolean parked;
  private volatile Optional<NativeWaiter> waiter;
  private int[] descriptors = new int[16];
  private int count;
  private long parkNs;
  private boolean wasSpurious;

  /**
   * A park of {@code maxNs} at most, in a waiter that {@code opener} opens, or naps of {@code
   * napNs}.
   */
  Parker(long maxNs, long napNs, Supplier<NativeWaiter> opener) {
    this.maxNs = maxNs;
    this.napNs = napNs;
    waiter = opened(opener);
  }

  private static Optional<NativeWaiter> opened(Supplier<NativeWaiter> opener) {
    try {
      return Optional.of(opener.get());
    } catch (TomboloException e) {
      tell(e);
      return Optional.empty();
    }
  }

  private static void tell(TomboloException why) {
    LOG.warn(
        "the agent naps for a millisecond at a time when idle, instead of sleeping until something"
            + " comes: {}",
        why.getMessage());
  }

  /** A round begins, which sees all that was handed in before somebody unparked. */
  void beginRound() {
    unparked.getAndSet(false);
  }

  /** A round has done something. */
  void onWork() {
    wasSpurious = false;
  }

  /**
   * Learns what {@code round}, which has nothing to do, waits for. With the progress lock held: so
   * no descriptor is closed meanwhile.
   */
  void prepare(Round round) {
    count = 0;
    parkNs = wasSpurious || waiter.isEmpty() ? 0 : maxNs;
    wasSpurious = false;
    if (parkNs > 0) {
      round.awaits(this);
    }
    if (parkNs > IdleStrategy.NAP_NS) {
      watch();
    }
  }

  private void watch() {
    try {
      waiter.orElseThrow().watch(descriptors, count);
    } catch (TomboloException e) {
      giveUp(e);
    }
  }

  private void giveUp(TomboloException why) {
    tell(why);
    close();
    parkNs = 0;
  }

  @Override
  public void on(int descriptor) {
    if (count == descriptors.length) {
      descriptors = Arrays.copyOf(descriptors, 2 * count);
    }
    descriptors[count++] = descriptor;
  }

  @Override
  public void within(long delayNs) {
    parkNs = Math.min(parkNs, delayNs);
  }

  /** Parks as prepared, unless somebody has unparked since the round began. */
  void park() {
    if (parkNs <= IdleStrategy.NAP_NS) {
      IdleStrategy.Mode.PARK.idle(napNs);
      return;
    }
    parked = true;
    try {
      if (!unparked.get()) {
        sleep();
      }
    } finally {
      parked = false;
    }
  }

  /** A descriptor that ends a park for nothing must not end the next one as well. */
  private void sleep() {
    long maxMs = Math.min(Integer.MAX_VALUE, 1 + (parkNs - 1) / MS_NS);
    try {
      wasSpurious = waiter.orElseThrow().await((int) maxMs) == NativeWaiter.End.DESCRIPTOR;
    } catch (TomboloException e) {
      giveUp(e);
    }
  }

  /** Ends the park, or keeps the next one from beginning; whether it may have been parked. */
  boolean unpark() {
    unparked.set(true);
    if (!parked) {
      return false;
    }
    waiter.ifPresent(NativeWaiter::signal);
    return true;
  }

  /** Naps from now on. */
  @Override
  public void close() {
    waiter.ifPresent(NativeWaiter::close);
    waiter = Optional.empty();
  }
}
