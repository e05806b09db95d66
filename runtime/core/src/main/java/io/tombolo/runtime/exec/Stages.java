package io.tombolo.runtime.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** Stages for runs that progress at once: each is lent to one run and then to the next. */
final class Stages implements AutoCloseable {
  private final Supplier<Stage> newStage;
  private final List<Stage> all = new ArrayList<>();
  private final Deque<Stage> free = new ArrayDeque<>();

  Stages(Supplier<Stage> newStage) {
    this.newStage = newStage;
  }

  Stage borrow() {
    if (free.isEmpty()) {
      Stage stage = newStage.get();
      all.add(stage);
      return stage;
    }
    return free.pop();
  }

  void giveBack(Stage stage) {
    free.push(stage);
  }

  @Override
  public void close() {
    all.forEach(Stage::close);
  }
}
