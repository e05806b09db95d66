// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/** Which steps a stream still has to finish: a ring of events, one behind each step. */
final class StreamMarks implements AutoCloseable {
  private static final int DEPTH = 32;

  private final Stream stream;
  private final ImmutableList<Event> events;
  private final StepQueue steps = new StepQueue(DEPTH);

  StreamMarks(DeviceAdaptor device, Stream stream) {
    this.stream = stream;
    this.events = Event.several(device, DEPTH);
  }

  boolean hasRoom() {
    return steps.hasRoom();
  }

  /**
   * Marks the end of {@code stepId}, whose work has just been queued; it is told to {@code
   * listener}.
   */
  void mark(int stepId, Engine.Ended listener) {
    events.get(steps.add(stepId, listener)).record(stream);
  }

  int poll() {
    int count = 0;
    while (!steps.isEmpty() && events.get(steps.first()).isDone()) {
      steps.endFirst();
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    events.forEach(Event::close);
  }
}
