// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import io.tombolo.base.WakeUps;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A duty for tests: knows who made its rounds, and does what it is told in each. */
final class FakeDuty implements Duty {
  private final boolean prompt;
  private final Multiset<Thread> rounds = ConcurrentHashMultiset.create();
  private final AtomicReference<Runnable> task = new AtomicReference<>(() -> {});
  private final AtomicReference<Consumer<WakeUps>> wants = new AtomicReference<>(wakeUps -> {});
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile boolean busy = true;
  private volatile boolean news = true;
  private volatile Thread failedOn;
  private volatile Throwable failure;

  FakeDuty(boolean prompt) {
    this.prompt = prompt;
  }

  /** Has each round run {@code each}. */
  void does(Runnable each) {
    task.set(each);
  }

  /** Has it say what it waits for by {@code each}, when it is asked. */
  void awaits(Consumer<WakeUps> each) {
    wants.set(each);
  }

  /** How often it was asked what it waits for. */
  int asked() {
    return asked.get();
  }

  void isBusy(boolean now) {
    busy = now;
  }

  /** Whether a look at it is to show that a round may find something. */
  void hasNews(boolean now) {
    news = now;
  }

  /** How often somebody has looked whether a round may find something. */
  int looks() {
    return looks.get();
  }

  /** How many rounds {@code thread} has made. */
  int roundsOf(Thread thread) {
    return rounds.count(thread);
  }

  int rounds() {
    return rounds.size();
  }

  /** On which thread it was told of its failure. */
  Optional<Thread> failedOn() {
    return Optional.ofNullable(failedOn);
  }

  Throwable failure() {
    return failure;
  }

  @Override
  public int work() {
    rounds.add(Thread.currentThread());
    task.get().run();
    return 0;
  }

  @Override
  public boolean mayHaveNews() {
    looks.incrementAndGet();
    return news;
  }

  @Override
  public boolean isPrompt() {
    return prompt;
  }

  @Override
  public boolean isBusy() {
    return busy;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    asked.incrementAndGet();
    wants.get().accept(wakeUps);
  }

  @Override
  public void fail(Throwable cause) {
    failure = cause;
    failedOn = Thread.currentThread();
  }
}
