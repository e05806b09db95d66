package io.tombolo.runtime.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** Desks for letters that progress at once: each is lent to one letter and then to the next. */
final class Desks implements AutoCloseable {
  /**
   * What a letter works with.
   *
   * @param stage where its message is put together, or arrives
   * @param lines where its steps run; it has them for itself, as letters wait for nobody
   */
  record Desk(Stage stage, Lines lines) {}

  private final Supplier<Desk> newDesk;
  private final List<Desk> all = new ArrayList<>();
  private final Deque<Desk> free = new ArrayDeque<>();

  Desks(Supplier<Desk> newDesk) {
    this.newDesk = newDesk;
  }

  Desk borrow() {
    if (free.isEmpty()) {
      Desk desk = newDesk.get();
      all.add(desk);
      return desk;
    }
    return free.pop();
  }

  void giveBack(Desk desk) {
    free.push(desk);
  }

  @Override
  public void close() {
    all.forEach(desk -> desk.stage().close());
  }
}
