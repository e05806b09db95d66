// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.memory.SlotSettling;
import io.tombolo.runtime.exec.submit.CallGroup;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.util.List;

/**
 * How the calls of one communicator get under way: what may be called is planned, and goes to the
 * executor, or, if it is messages, to the messenger. Slots of the device are settled before, if
 * nothing else is under way. Collective calls come from one thread at a time, messages from any.
 */
final class Dispatch {
  private final RankGroup group;
  private final UseCheck uses;
  private final DeviceAdaptor device;
  private final SlotSettling slots;
  private final PlanCache plans;
  private final DirectTasks tasks;
  private final LastCall lastCall = new LastCall();

  /** For the calls of {@code group}, as far as {@code uses} lets them pass. */
  Dispatch(Session session, RankGroup group, UseCheck uses) {
    this.group = group;
    this.uses = uses;
    this.device = session.equipment().device();
    this.slots = session.tools().slotSettling();
    this.plans = new PlanCache(group.context(), rank(), session.verifiesPlans());
    GroupChannels channels = group.channels();
    this.tasks =
        new DirectTasks(
            rank(), size(), device, channels.reach(), channels.reachAnywhere(), plans::get);
  }

  /** Makes one collective call; whether it is in place is found out from its addresses. */
  Work call(PlacedCall asked, CallOptions options, Stream stream) {
    Submission repeated = lastCall.find(asked);
    PlacedCall placed = repeated == null ? asked.placed(rank(), size()) : asked;
    uses.requireCallable(stream);
    try {
      slots.enter();
      Submission submission = repeated == null ? made(asked, placed) : repeated;
      return group.executor().submit(submission, options, stream);
    } finally {
      slots.leave();
    }
  }

  private Submission made(PlacedCall asked, PlacedCall placed) {
    Task task = tasks.task(placed.call(), placed.send(), placed.receive());
    Submission submission = Submission.of(task, size());
    lastCall.note(asked, submission);
    return submission;
  }

  /** Makes several collective calls as one. */
  Work group(List<PlacedCall> calls, CallOptions options, Stream stream) {
    uses.requireCallable(stream);
    CallGroup together = CallGroup.of(calls, rank(), size());
    try {
      slots.enter();
      return group.executor().submit(together.submission(plans::get), options, stream);
    } finally {
      slots.leave();
    }
  }

  /** Sends and receives messages, as one operation. */
  Work exchange(List<Message> messages, CallOptions options, Stream stream) {
    uses.requireCallable(stream);
    Batch batch = Batch.of(messages, rank(), size(), device);
    try {
      slots.enter();
      List<Task> parts = batch.tasks(tasks);
      return group.messenger().submit(batch, batch.sizeBytes(), parts, options, stream);
    } finally {
      slots.leave();
    }
  }

  /** What this rank runs for {@code call}. */
  Plan plan(CollectiveCall call) {
    return plans.get(call);
  }

  private int rank() {
    return group.members().self();
  }

  private int size() {
    return group.members().size();
  }
}
