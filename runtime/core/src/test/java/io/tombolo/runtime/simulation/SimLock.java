// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A lock between threads of a {@link World}. */
public final class SimLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  private transient SimThread holder;
  private transient int holds;

  /** A free one; who gets it next is drawn, whether it is {@code fair} or not. */
  public SimLock(boolean fair) {
    super(fair);
  }

  /** A free one. */
  public SimLock() {
    this(false);
  }

  @Override
  public void lock() {
    if (!take("lock", Long.MAX_VALUE, false)) {
      throw new AssertionError("for ever is over");
    }
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    SimThread mine = SimThread.here();
    Hooks.throwIfInterrupted(mine);
    long untilNs = mine.world.nowNs() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 4);
    boolean taken = take("tryLock", untilNs, true);
    if (!taken) {
      Hooks.throwIfInterrupted(mine);
    }
    return taken;
  }

  private boolean take(String why, long untilNs, boolean interruptibly) {
    SimThread mine = SimThread.here();
    if (holder != mine) {
      mine.world.point();
      if (holder != null) {
        mine.world.await(why, () -> holder == null || (interruptibly && mine.interrupted), untilNs);
      }
      if (holder != null) {
        return false;
      }
      holder = mine;
    }
    holds++;
    return true;
  }

  @Override
  public boolean tryLock() {
    return take("tryLock", Long.MIN_VALUE, false);
  }

  @Override
  public void unlock() {
    SimThread mine = SimThread.here();
    if (mine.doomed) {
      return;
    }
    if (holder != mine) {
      throw new IllegalMonitorStateException();
    }
    if (--holds == 0) {
      holder = null;
      mine.world.point();
    }
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return holder == SimThread.here();
  }
}
