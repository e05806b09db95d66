// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;

/** Something for tests to wait for. */
final class Gate implements Awaitable {
  private volatile Runnable look = () -> {};
  private boolean open;
  private boolean signalled;
  private int sleepers;

  synchronized void open() {
    open = true;
    notifyAll();
  }

  /** How many callers sleep here. */
  synchronized int sleepers() {
    return sleepers;
  }

  /** Has each look whether it is over run {@code each} first. */
  void onLook(Runnable each) {
    look = each;
  }

  @Override
  public boolean isOver() {
    look.run();
    return isOpen();
  }

  private synchronized boolean isOpen() {
    return open;
  }

  @Override
  public synchronized void sleep(Deadline deadline) throws InterruptedException {
    sleepers++;
    try {
      while (!open && !signalled && !deadline.isExpired()) {
        wait(deadline.remainingMs());
      }
      signalled = false;
    } finally {
      sleepers--;
    }
  }

  @Override
  public synchronized void signal() {
    signalled = true;
    notifyAll();
  }
}
