// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.runtime.recorder.OperationEvent;

/**
 * What is handed in as one operation.
 *
 * @param name the operation as people know it
 * @param sizeBytes its size, for people
 * @param calls what ranks vote on; empty for messages, on which nobody votes
 * @param tasks what there is to do
 */
public record Submission(
    Object name, long sizeBytes, ImmutableList<CollectiveCall> calls, ImmutableList<Task> tasks) {
  private static final CollectiveCall NO_MESSAGE =
      CollectiveCall.exchange(
          new Layout.Pairwise(new Layout.Even(0), new Layout.Even(0)), DataType.U8);

  /** One call. */
  public static Submission of(Task task, int size) {
    CollectiveCall call = task.plan().call();
    return new Submission(
        call,
        call.sizeBytes(task.plan().rank(), size),
        ImmutableList.of(call),
        ImmutableList.of(task));
  }

  /**
   * Whether all there is to do is one call, on the caller's buffers, of the library that brings
   * {@code members} together.
   */
  boolean isOneVendorCall(Action.Members members) {
    if (tasks.size() != 1 || tasks.get(0).packing().isPresent()) {
      return false;
    }
    Plan plan = tasks.get(0).plan();
    return plan.isOneCall()
        && ((Action.IntraCall) plan.steps().get(0).action()).members() == members;
  }

  /**
   * It as an error names it, {@code elapsedNs} after its stream has reached it: {@code rank 2:
   * all_reduce of 8 f32 by sum (#17, 32 bytes, 5 ms)}.
   */
  String describe(int rank, long sequence, long elapsedNs) {
    return head(rank, sequence) + elapsedNs / 1_000_000 + " ms)";
  }

  /** What {@link #describe} begins with, whenever it is asked. */
  String head(int rank, long sequence) {
    return "rank %s: %s (#%s, %s bytes, ".formatted(rank, name, sequence, sizeBytes);
  }

  /** It as JDK Flight Recorder has it: operation {@code sequence} of {@code rank}. */
  OperationEvent event(long group, int rank, long sequence) {
    return OperationEvent.begun(group, rank, sequence, name.toString(), sizeBytes);
  }

  /** Has {@code recorder} take it down as operation {@code sequence}. */
  void record(FlightRing recorder, long sequence) {
    if (calls.isEmpty()) {
      CollectiveCall first = tasks.isEmpty() ? NO_MESSAGE : tasks.get(0).plan().call();
      recorder.submitted(sequence, first, tasks.size(), sizeBytes);
    } else {
      recorder.submitted(sequence, calls.get(0), calls.size(), sizeBytes);
    }
  }

  /** Messages between single ranks. */
  public static Submission messages(Object name, long sizeBytes, Iterable<Task> messages) {
    return new Submission(name, sizeBytes, ImmutableList.of(), ImmutableList.copyOf(messages));
  }
}
