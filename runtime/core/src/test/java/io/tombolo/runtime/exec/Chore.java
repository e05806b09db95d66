package io.tombolo.runtime.exec;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A duty for tests: knows who made its rounds, and does what it is told in each. */
final class Chore implements Duty {
  private final boolean prompt;
  private final Multiset<Thread> rounds = ConcurrentHashMultiset.create();
  private final AtomicReference<Runnable> task = new AtomicReference<>(() -> {});
  private volatile boolean busy = true;
  private volatile Thread failedOn;
  private volatile Throwable failure;

  Chore(boolean prompt) {
    this.prompt = prompt;
  }

  /** Has each round run {@code each}. */
  void does(Runnable each) {
    task.set(each);
  }

  void isBusy(boolean now) {
    busy = now;
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
  public boolean isPrompt() {
    return prompt;
  }

  @Override
  public boolean isBusy() {
    return busy;
  }

  @Override
  public void fail(Throwable cause) {
    failure = cause;
    failedOn = Thread.currentThread();
  }
}
