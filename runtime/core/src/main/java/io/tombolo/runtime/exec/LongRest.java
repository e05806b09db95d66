package io.tombolo.runtime.exec;

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
 * How the agent's thread rests while nothing is under way: until somebody stirs it, a descriptor
 * can be read, or a timer of a fabric runs out. Where duties cannot say what they wait for, and
 * where the system has no such waiter, it naps instead.
 *
 * <p><b>Why no wake-up is lost.</b> What gives the agent work comes in one of three ways.
 *
 * <ul>
 *   <li><i>A thread of this process hands something in, then {@linkplain #stir stirs}.</i> It
 *       writes {@code stirred} and then reads {@code asleep}; the agent, about to sleep, writes
 *       {@code asleep} and then reads {@code stirred}. Both are volatile, so at least one of them
 *       sees what the other wrote: either the agent does not sleep, or it is signalled, and a
 *       signal ends also a wait that has not begun yet. {@code stirred} is cleared only where a
 *       round begins, which then sees what was handed in before.
 *   <li><i>Something comes from outside.</i> A descriptor that is readable when it is watched ends
 *       the wait at once; there is no moment between the last round and the wait in which it could
 *       be missed. A completion queue raises no event for what lies in it already: so the fabric
 *       arms it, looks once more, and only then lets the agent wait.
 *   <li><i>A caller makes rounds while the agent sleeps,</i> and changes what there is to wait for.
 *       It stirs when it leaves.
 * </ul>
 *
 * <p>{@link #stir} is for any thread, the rest for the agent's.
 */
final class LongRest implements WakeUps, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LongRest.class);
  private static final long MS_NS = 1_000_000;

  private final long mostNs;
  private final long napNs;
  private final AtomicBoolean stirred = new AtomicBoolean();
  private volatile boolean asleep;
  private volatile Optional<NativeWaiter> waiter;
  private int[] descriptors = new int[16];
  private int count;
  private long restNs;
  private boolean inVain;

  /**
   * A rest of {@code mostNs} at most, in a waiter that {@code opener} opens, or naps of {@code
   * napNs}.
   */
  LongRest(long mostNs, long napNs, Supplier<NativeWaiter> opener) {
    this.mostNs = mostNs;
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

  /** A round begins, which sees all that was handed in before somebody stirred. */
  void beginRound() {
    stirred.getAndSet(false);
  }

  /** A round has done something. */
  void onWork() {
    inVain = false;
  }

  /**
   * Learns what {@code round}, which has nothing to do, waits for. With the baton in hand: so no
   * descriptor is closed meanwhile.
   */
  void prepare(Round round) {
    count = 0;
    restNs = inVain || waiter.isEmpty() ? 0 : mostNs;
    inVain = false;
    if (restNs > 0) {
      round.awaits(this);
    }
    if (restNs > Rest.NAP_NS) {
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
    restNs = 0;
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
    restNs = Math.min(restNs, delayNs);
  }

  /** Rests as prepared, unless somebody has stirred since the round began. */
  void take() {
    if (restNs <= Rest.NAP_NS) {
      Rest.Manner.SLEEP.take(napNs);
      return;
    }
    asleep = true;
    try {
      if (!stirred.get()) {
        sleep();
      }
    } finally {
      asleep = false;
    }
  }

  /** A descriptor that ends a rest for nothing must not end the next one as well. */
  private void sleep() {
    long mostMs = Math.min(Integer.MAX_VALUE, 1 + (restNs - 1) / MS_NS);
    try {
      inVain = waiter.orElseThrow().await((int) mostMs) == NativeWaiter.End.DESCRIPTOR;
    } catch (TomboloException e) {
      giveUp(e);
    }
  }

  /** Ends the rest, or keeps the next one from beginning; whether it may have been asleep. */
  boolean stir() {
    stirred.set(true);
    if (!asleep) {
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
