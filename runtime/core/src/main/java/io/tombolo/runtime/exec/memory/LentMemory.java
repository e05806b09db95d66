// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.Stream;

/** Memory that {@link StreamMemories} has lent, to several tasks of one stream perhaps. */
public final class LentMemory {
  private final Place place;
  private final TaskMemory memory;
  private int users = 1;

  /** Which task of the calls on one stream it is lent to. */
  record Place(Stream stream, int index) {}

  LentMemory(Place place, TaskMemory memory) {
    this.place = place;
    this.memory = memory;
  }

  public TaskMemory memory() {
    return memory;
  }

  Place place() {
    return place;
  }

  void join() {
    users++;
  }

  /** Whether that was the last one. */
  boolean leave() {
    return --users == 0;
  }
}
