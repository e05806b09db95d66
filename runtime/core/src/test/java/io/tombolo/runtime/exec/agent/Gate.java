// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;

/** Something for tests to wait for. */
final class Gate implements Awaitable {
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

  @Override
  public synchronized boolean isOver() {
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
