// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One operation of a communicator, from the call to its end, as JDK Flight Recorder has it. Where
 * nobody records such events, none is made.
 */
@Name("io.tombolo.Operation")
@Label("Operation")
@Category("Tombolo")
@Description("A collective or message, from the call to its end")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class OperationEvent extends Event {
  /** Only asked whether anybody records: it is never committed. */
  private static final OperationEvent PROBE = new OperationEvent();

  @Label("Group")
  @Description("The communicator's number in the job; 0 is that of all ranks")
  private final long group;

  @Label("Rank")
  private final int rank;

  @Label("Number")
  @Description("Counted from 1 in its communicator; collectives and messages by themselves")
  private final long number;

  @Label("Operation")
  private final String operation;

  @Label("Size")
  @DataAmount
  private final long sizeBytes;

  @Label("Waited for its stream")
  @Description(
      "Until its stream reached it; what is left is the operation, with its waits for peers")
  @Timespan
  private long queuedNs;

  @Label("Failure")
  @Description("Empty, if it ended well")
  private String failure = "";

  private final long calledNs;

  private OperationEvent() {
    this(0, 0, 0, "", 0);
  }

  private OperationEvent(long group, int rank, long number, String operation, long sizeBytes) {
    this.group = group;
    this.rank = rank;
    this.number = number;
    this.operation = operation;
    this.sizeBytes = sizeBytes;
    this.calledNs = System.nanoTime();
  }

  /** Whether anybody records such events. */
  static boolean isRecorded() {
    return PROBE.isEnabled();
  }

  /** That of an operation which is called now. */
  public static OperationEvent begun(
      long group, int rank, long number, String operation, long sizeBytes) {
    OperationEvent event = new OperationEvent(group, rank, number, operation, sizeBytes);
    event.begin();
    return event;
  }

  /** Its stream reached it at {@code atNs} of {@code System.nanoTime}. */
  public void reached(long atNs) {
    queuedNs = atNs - calledNs;
  }

  /** It ends now, with {@code cause} of its failure; empty if it ended well. */
  public void ended(String cause) {
    failure = cause;
    commit();
  }
}
