// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.UnsupportedException;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A doorbell for devices whose streams neither wait for the host nor tell it anything: an event is
 * recorded where the stream is to start an operation, and the agent asks the event. Nothing holds
 * the stream until the end, so waits and releases come to nothing: its caller stays instead.
 */
final class EventDoorbell implements Doorbell {
  private final ImmutableList<Event> events;

  /** Of which operation the place's event is, once it is recorded. */
  private final AtomicLongArray recorded;

  /** Which operation of the place was last seen to start. */
  private final AtomicLongArray rung;

  /** All events are made here: a runtime may wait for work of the device before it makes one. */
  EventDoorbell(DeviceAdaptor device, int places) {
    events = Event.several(device, places);
    recorded = new AtomicLongArray(places);
    rung = new AtomicLongArray(places);
  }

  private int placeOf(long sequence) {
    return (int) (sequence % events.size());
  }

  @Override
  public void queueStart(Stream stream, long sequence) {
    events.get(placeOf(sequence)).record(stream);
    recorded.setRelease(placeOf(sequence), sequence);
  }

  @Override
  public void queueWait(Stream stream, long sequence) {}

  @Override
  public boolean marksEnds() {
    return false;
  }

  @Override
  public void queueEnd(Stream stream, long sequence) {
    throw new UnsupportedException("streams of this device write no words");
  }

  @Override
  public boolean hasEnded(long sequence) {
    return false;
  }

  @Override
  public boolean holds(Stream stream) {
    return false;
  }

  @Override
  public boolean isIdle(Stream stream) {
    return false;
  }

  @Override
  public void ring(long sequence) {
    rung.setRelease(placeOf(sequence), sequence);
  }

  @Override
  public boolean hasRung(long sequence) {
    int place = placeOf(sequence);
    if (rung.getAcquire(place) < sequence
        && recorded.getAcquire(place) >= sequence
        && events.get(place).isDone()) {
      ring(sequence);
    }
    return rung.getAcquire(place) >= sequence;
  }

  @Override
  public void release(long sequence) {}

  @Override
  public void close() {
    events.forEach(Event::close);
  }
}
