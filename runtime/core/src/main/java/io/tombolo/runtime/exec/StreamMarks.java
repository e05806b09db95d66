package io.tombolo.runtime.exec;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/** Which steps a stream still has to finish: a ring of events, one behind each step. */
final class StreamMarks implements AutoCloseable {
  private static final int DEPTH = 32;

  private final Stream stream;
  private final Event[] events = new Event[DEPTH];
  private final int[] stepIds = new int[DEPTH];
  private final Engine.Ended[] listeners = new Engine.Ended[DEPTH];
  private long started;
  private long ended;

  StreamMarks(DeviceAdaptor device, Stream stream) {
    this.stream = stream;
    for (int i = 0; i < DEPTH; i++) {
      events[i] = device.newEvent();
    }
  }

  boolean hasRoom() {
    return started - ended < DEPTH;
  }

  /**
   * Marks the end of {@code stepId}, whose work has just been queued; it is told to {@code
   * listener}.
   */
  void mark(int stepId, Engine.Ended listener) {
    int slot = (int) (started++ % DEPTH);
    stepIds[slot] = stepId;
    listeners[slot] = listener;
    events[slot].record(stream);
  }

  int poll() {
    int count = 0;
    while (ended < started && events[(int) (ended % DEPTH)].isDone()) {
      int slot = (int) (ended++ % DEPTH);
      listeners[slot].ended(stepIds[slot]);
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    for (Event event : events) {
      event.close();
    }
  }
}
