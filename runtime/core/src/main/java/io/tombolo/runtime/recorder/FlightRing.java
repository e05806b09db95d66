// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.runtime.plan.CollectiveCall;
import java.nio.ByteBuffer;

/**
 * The last operations of one kind of a communicator, as its threads write them: a few plain stores
 * between two of the stamp. It allocates nothing, and waits for nobody.
 *
 * <p>Who writes of one operation does so one thread at a time. Operations whose numbers are the
 * ring's size apart share a record: what comes late of the earlier one is dropped.
 */
public final class FlightRing {
  /** As many operations can be under way at once, and none shares its record with another. */
  public static final int MOST_UNDER_WAY = 512;

  /** Records nothing of the communicator of all ranks. */
  public static final FlightRing OFF = off(0);

  private final boolean on;
  private final ByteBuffer file;
  private final int from;
  private final long mask;
  private final long group;
  private volatile boolean stands;

  /** Of {@code records}, a power of two, at {@code from} in {@code file}, of {@code group}. */
  FlightRing(ByteBuffer file, int from, int records, long group) {
    this.on = records > 0;
    this.file = file;
    this.from = from;
    this.mask = records - 1L;
    this.group = group;
  }

  /** Records nothing of {@code group}. */
  public static FlightRing off(long group) {
    return new FlightRing(ByteBuffer.allocate(0), 0, 0, group);
  }

  /** The number in the job of the communicator that it is about. */
  public long group() {
    return group;
  }

  /** Whether anything is recorded: else nothing of what follows is to be called. */
  public boolean isOn() {
    return on;
  }

  /**
   * Operation {@code sequence} is in.
   *
   * @param first the call, or the first of {@code calls} that are one operation
   * @param sizeBytes of all of them
   */
  public void submitted(long sequence, CollectiveCall first, int calls, long sizeBytes) {
    int at = place(sequence);
    long stamp = FlightFormat.stamp(sequence, FlightState.SUBMITTED);
    FlightFormat.setBefore(file, at, FlightFormat.writing(stamp));
    FlightFormat.set(file, at + FlightFormat.SUBMITTED, System.nanoTime());
    FlightFormat.set(file, at + FlightFormat.STARTED, 0);
    FlightFormat.set(file, at + FlightFormat.ENDED, 0);
    FlightFormat.set(file, at + FlightFormat.WHAT, FlightCall.what(first));
    FlightFormat.set(file, at + FlightFormat.COUNT, FlightCall.count(first));
    FlightFormat.set(file, at + FlightFormat.SIZE, sizeBytes);
    FlightFormat.set(file, at + FlightFormat.WHOM, FlightCall.whom(first, calls));
    FlightFormat.set(file, at + FlightFormat.STEP, 0);
    FlightFormat.setRelease(file, at, stamp);
  }

  /** Its stream reached operation {@code sequence} at {@code atNs} of {@code System.nanoTime}. */
  public void started(long sequence, long atNs) {
    set(sequence, FlightState.STARTED, FlightFormat.STARTED, atNs);
  }

  /**
   * The communicator has failed, and operations get no further: what an abort ends looks as if it
   * had been done.
   */
  void stand() {
    stands = true;
  }

  /** Operation {@code sequence} stands at {@code step}, a word of {@link FlightStep}. */
  public void reached(long sequence, long step) {
    int at = place(sequence);
    if (!stands && FlightFormat.sequenceOf(FlightFormat.get(file, at)) == sequence) {
      FlightFormat.setAlone(file, at + FlightFormat.STEP, step);
    }
  }

  /** Operation {@code sequence} ended at {@code atNs}. */
  public void ended(long sequence, boolean well, long atNs) {
    set(sequence, well ? FlightState.DONE : FlightState.FAILED, FlightFormat.ENDED, atNs);
  }

  private void set(long sequence, FlightState state, int field, long atNs) {
    int at = place(sequence);
    if (FlightFormat.sequenceOf(FlightFormat.get(file, at)) == sequence) {
      long stamp = FlightFormat.stamp(sequence, state);
      FlightFormat.setBefore(file, at, FlightFormat.writing(stamp));
      FlightFormat.set(file, at + field, atNs);
      FlightFormat.setRelease(file, at, stamp);
    }
  }

  private int place(long sequence) {
    return from + (int) (sequence - 1 & mask) * FlightFormat.RECORD_BYTES;
  }
}
