// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;
import java.util.function.Consumer;

/** Something for tests to wait for. */
final class Gate implements Awaitable {
  private volatile Runnable look = () -> {};
  private volatile Consumer<Runnable> delivery = Runnable::run;
  private boolean open;
  private boolean signalled;
  private int sleepers;
  private int sleeps;

  synchronized void open() {
    open = true;
    notifyAll();
  }

  /** How many callers sleep here. */
  synchronized int sleepers() {
    return sleepers;
  }

  /** How often somebody has begun to sleep here. */
  synchronized int sleeps() {
    return sleeps;
  }

  /** Has each signal handed to {@code each}, which wakes who sleeps by running it. */
  void onSignal(Consumer<Runnable> each) {
    delivery = each;
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
    sleeps++;
    try {
      while (!open && !signalled && !deadline.isExpired()) {
        wait(deadline.waitMs());
      }
      signalled = false;
    } finally {
      sleepers--;
    }
  }

  @Override
  public void signal() {
    delivery.accept(this::wake);
  }

  private synchronized void wake() {
    signalled = true;
    notifyAll();
  }
}
