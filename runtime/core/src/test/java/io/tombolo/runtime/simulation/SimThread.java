// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread of a {@link World}, which runs only when that says so. What stops it is its own. */
public final class SimThread extends Thread {
  /** Thrown in threads that are left when a world ends. */
  static final class Doomed extends Error {
    private static final long serialVersionUID = 1L;

    Doomed() {
      super("the simulation is over", null, false, false);
    }
  }

  final World world;
  final SimProcess process;
  final int number;
  private volatile boolean turn;
  volatile boolean doomed;
  boolean alive;
  boolean interrupted;
  boolean permit;

  /** How often it spins before others get a turn. */
  int spins;

  /** What it waits for; null while it waits for nothing but its turn. */
  BooleanSupplier ready;

  /** When it waits no longer, in the world's time. */
  long untilNs;

  /** A thread of the process that the calling one belongs to. */
  public SimThread(Runnable task, String name) {
    this(here().world, here().process, task, name);
  }

  SimThread(World world, SimProcess process, Runnable task, String name) {
    super(null, task, name);
    this.world = world;
    this.process = process;
    this.number = world.newThreadNumber();
    setDaemon(true);
  }

  /** The calling thread. */
  static SimThread here() {
    if (Thread.currentThread() instanceof SimThread mine) {
      return mine;
    }
    throw new IllegalStateException(Thread.currentThread() + " is outside of any simulation");
  }

  static boolean isHere() {
    return Thread.currentThread() instanceof SimThread;
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread of a world runs at a time
  public void start() {
    alive = true;
    world.add(this);
    super.start();
    if (isHere()) {
      world.point();
    }
  }

  @Override
  public void run() {
    try {
      awaitTurn();
      if (!doomed) {
        super.run();
      }
    } catch (Doomed e) {
      alive = false; // as it was to be
    } catch (Throwable e) {
      if (!doomed) {
        world.onUncaught(this, e);
      }
    } finally {
      alive = false;
      if (!doomed) {
        world.onEnd(this);
      }
    }
  }

  /** Lets it run; the caller stops at once. */
  void giveTurn() {
    turn = true;
    LockSupport.unpark(this);
  }

  void awaitTurn() {
    while (!turn) {
      LockSupport.park(this);
    }
    turn = false;
  }

  @Override
  public void interrupt() {
    interrupted = true;
  }

  @Override
  public boolean isInterrupted() {
    return interrupted;
  }

  boolean takeInterrupt() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  @Override
  public String toString() {
    return process.name() + "/" + getName() + "#" + number;
  }
}
