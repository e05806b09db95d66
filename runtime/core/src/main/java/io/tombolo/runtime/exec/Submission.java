package io.tombolo.runtime.exec;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.CollectiveCall;

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

  /** One call. */
  public static Submission of(Task task, int size) {
    CollectiveCall call = task.plan().call();
    return new Submission(
        call,
        call.sizeBytes(task.plan().rank(), size),
        ImmutableList.of(call),
        ImmutableList.of(task));
  }

  /** Messages between single ranks. */
  public static Submission messages(Object name, long sizeBytes, Iterable<Task> messages) {
    return new Submission(name, sizeBytes, ImmutableList.of(), ImmutableList.copyOf(messages));
  }
}
