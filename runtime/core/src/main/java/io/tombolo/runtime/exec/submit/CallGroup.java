// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.work.PlacedCall;
import java.util.List;
import java.util.function.Function;

/**
 * Several independent calls made as one operation.
 *
 * @param rank this rank
 * @param size number of ranks
 * @param calls in the order in which all ranks give them
 */
public record CallGroup(int rank, int size, ImmutableList<PlacedCall> calls) {
  /** The calls, each found to be in place or not. */
  public static CallGroup of(List<PlacedCall> calls, int rank, int size) {
    if (calls.isEmpty()) {
      throw new UsageException("rank " + rank + ": a group needs a call");
    }
    return new CallGroup(
        rank,
        size,
        calls.stream()
            .map(call -> call.placed(rank, size))
            .collect(ImmutableList.toImmutableList()));
  }

  /** What this rank does for them, as {@code planner} plans it. */
  public Submission submission(Function<CollectiveCall, Plan> planner) {
    Packer packer = new Packer(rank, size);
    calls.forEach(each -> packer.add(each.call(), each.send(), each.receive()));
    return new Submission(
        calls.size() == 1 ? calls.get(0).call() : this,
        calls.stream().mapToLong(each -> each.call().sizeBytes(rank, size)).sum(),
        calls.stream().map(PlacedCall::call).collect(ImmutableList.toImmutableList()),
        packer.tasks(planner));
  }

  /** For people: {@code group of 3, first all_reduce of 8 f32 by sum}. */
  @Override
  public String toString() {
    return "group of " + calls.size() + ", first " + calls.get(0).call();
  }
}
