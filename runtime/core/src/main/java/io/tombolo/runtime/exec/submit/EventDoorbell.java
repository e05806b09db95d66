// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.UnsupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A doorbell for devices whose streams neither wait for the host nor tell it anything: an event is
 * recorded where the stream is to start an operation, and the agent asks the event. Nothing holds
 * the stream until the end, so waits and releases come to nothing: its caller stays instead.
 *
 * <p>An operation has an event from its call to its end. A few are made at once, as a runtime may
 * take its time to make one, and more when so many operations are under way.
 */
final class EventDoorbell implements Doorbell {
  private static final int FIRST_EVENTS = 64;

  private final DeviceAdaptor device;
  private final int places;
  private final List<Event> events;
  private final Queue<Event> free;
  private final AtomicReferenceArray<Event> taken;

  /** Of which operation the place's event is, once it is recorded; 0 when that has ended. */
  private final AtomicLongArray recorded;

  /** Which operation of the place was last seen to start. */
  private final AtomicLongArray rung;

  EventDoorbell(DeviceAdaptor device, int places) {
    this.device = device;
    this.places = places;
    this.taken = new AtomicReferenceArray<>(places);
    this.recorded = new AtomicLongArray(places);
    this.rung = new AtomicLongArray(places);
    this.events = new ArrayList<>(Event.several(device, Math.min(places, FIRST_EVENTS)));
    this.free = new ConcurrentLinkedQueue<>(events);
  }

  private int placeOf(long sequence) {
    return (int) (sequence % places);
  }

  @Override
  public void queueStart(Stream stream, long sequence) {
    int place = placeOf(sequence);
    if (taken.get(place) == null) { // else of one that was not recorded
      taken.set(place, takeEvent());
    }
    taken.get(place).record(stream);
    recorded.setRelease(place, sequence);
  }

  private Event takeEvent() {
    Event event = free.poll();
    if (event == null) {
      event = device.newEvent();
      events.add(event);
    }
    return event;
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
    if (rung.getAcquire(place) < sequence && recorded.getAcquire(place) >= sequence) {
      Event event = taken.get(place); // gone if a failure ends the operation meanwhile
      if (event != null && event.isDone()) {
        ring(sequence);
      }
    }
    return rung.getAcquire(place) >= sequence;
  }

  /** The next operation may have its event. */
  @Override
  public void release(long sequence) {
    int place = placeOf(sequence);
    if (recorded.compareAndSet(place, sequence, 0)) {
      free.add(taken.getAndSet(place, null));
    }
  }

  @Override
  public void close() {
    events.forEach(Event::close);
  }
}
