package io.tombolo.runtime.exec;

import io.tombolo.base.Deadline;

/** Something for tests to wait for. */
final class Gate implements Awaited {
  private boolean open;
  private boolean nudged;
  private int sleepers;

  synchronized void open() {
    open = true;
    notifyAll();
  }

  /** How many callers sleep here. */
  synchronized int sleepers() {
    return sleepers;
  }

  @Override
  public synchronized boolean isOver() {
    return open;
  }

  @Override
  public synchronized void sleep(Deadline deadline) throws InterruptedException {
    sleepers++;
    try {
      while (!open && !nudged && !deadline.isExpired()) {
        wait(deadline.remainingMs());
      }
      nudged = false;
    } finally {
      sleepers--;
    }
  }

  @Override
  public synchronized void nudge() {
    nudged = true;
    notifyAll();
  }
}
