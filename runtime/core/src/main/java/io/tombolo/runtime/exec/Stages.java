package io.tombolo.runtime.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** Arenas for runs that progress at once: each is lent to one run and then to the next. */
final class Stages implements AutoCloseable {
  private final Supplier<Arena> newArena;
  private final List<Arena> all = new ArrayList<>();
  private final Deque<Arena> free = new ArrayDeque<>();

  Stages(Supplier<Arena> newArena) {
    this.newArena = newArena;
  }

  Arena borrow() {
    if (free.isEmpty()) {
      Arena arena = newArena.get();
      all.add(arena);
      return arena;
    }
    return free.pop();
  }

  void giveBack(Arena arena) {
    free.push(arena);
  }

  @Override
  public void close() {
    all.forEach(Arena::close);
  }
}
