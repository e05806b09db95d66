// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.exec.submit.TaskFactory;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.work.BufferCheck;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages that one call exchanges.
 *
 * @param rank this rank
 * @param size number of ranks
 * @param messages in the order of the call
 */
record Batch(int rank, int size, ImmutableList<Message> messages) {
  /** Checks that the messages fit a group of {@code size} ranks, and {@code device}. */
  static Batch of(List<Message> messages, int rank, int size, DeviceAdaptor device) {
    for (Message message : messages) {
      if (message.isFromAny()) {
        requireSource(message, messages.size(), rank, size);
      } else if (message.peer() < 0 || message.peer() >= size) {
        throw new UsageException("rank " + rank + ": " + message + ": ranks are 0 … " + (size - 1));
      }
      if (message.tag() < 0) {
        throw new UsageException("rank " + rank + ": " + message + ": tags are 0 or more");
      }
      if (message.buffer().count() > 0) {
        BufferCheck.require(rank, message, message.does(), message.buffer(), device);
      }
    }
    return new Batch(rank, size, ImmutableList.copyOf(messages));
  }

  /** A message without elements is not sent, and one of a batch is not told of by itself. */
  private static void requireSource(Message message, int messages, int rank, int size) {
    String why = "";
    if (messages > 1) {
      why = "it must be a batch of its own";
    } else if (message.buffer().count() == 0) {
      why = "messages without elements are not sent, so it has no source; name the sender";
    } else if (size == 1) {
      why = "there is no other rank";
    }
    if (!why.isEmpty()) {
      throw new UsageException("rank " + rank + ": " + message + ": " + why);
    }
  }

  long sizeBytes() {
    return messages.stream().mapToLong(Message::sizeBytes).sum();
  }

  /** One task for each message between two ranks, and one for each pair to this rank itself. */
  List<Task> tasks(TaskFactory maker) {
    List<Task> tasks = new ArrayList<>(messages.size());
    for (Message message : messages) {
      if (message.isFromAny()) {
        tasks.add(fromAny(message, maker));
      } else if (message.peer() != rank) {
        tasks.add(task(message, maker));
      }
    }
    if (tasks.size() < messages.size()) {
      addToItself(tasks, maker);
    }
    return tasks;
  }

  private static Task task(Message message, TaskFactory maker) {
    return maker
        .task(message.call(), message.buffer().address(), message.buffer().address())
        .tagged(message.tag());
  }

  private Task fromAny(Message message, TaskFactory maker) {
    ImmutableMap.Builder<Integer, Task> bySource = ImmutableMap.builder();
    for (int source = 0; source < size; source++) {
      if (source != rank) {
        bySource.put(source, task(message.from(source), maker));
      }
    }
    return Task.fromAny(bySource.buildOrThrow());
  }

  private void addToItself(List<Task> tasks, TaskFactory maker) {
    List<Message> out = toItself(Message.Way.SEND);
    List<Message> in = new ArrayList<>(toItself(Message.Way.RECEIVE));
    if (out.size() != in.size()) {
      throw new UsageException(
          "rank %s: %s sends to itself and %s receives from itself; put both into one batch"
              .formatted(rank, out.size(), in.size()));
    }
    for (Message from : out) {
      tasks.add(keep(from, taken(in, from), maker));
    }
  }

  private List<Message> toItself(Message.Way way) {
    return messages.stream()
        .filter(message -> message.peer() == rank && message.way() == way)
        .toList();
  }

  /** The first of {@code receives} that {@code send} meets; it is taken out of them. */
  private Message taken(List<Message> receives, Message send) {
    Message met =
        receives.stream()
            .filter(each -> each.tag() == send.tag())
            .findFirst()
            .orElseThrow(
                () ->
                    new UsageException(
                        "rank %s: %s has no receive of its tag in the batch"
                            .formatted(rank, send)));
    receives.remove(met);
    return met;
  }

  private static Task keep(Message from, Message to, TaskFactory maker) {
    if (from.buffer().count() != to.buffer().count()
        || from.buffer().type() != to.buffer().type()) {
      throw new MismatchException(from + " meets " + to + "; they must agree");
    }
    Layout.One block = new Layout.One(from.peer(), from.buffer().count());
    CollectiveCall call =
        CollectiveCall.exchange(new Layout.Pairwise(block, block), from.buffer().type())
            .inPlace(from.buffer().address() == to.buffer().address());
    return maker.task(call, from.buffer().address(), to.buffer().address());
  }

  /** For people: the message, or how many there are. */
  @Override
  public String toString() {
    return messages.size() == 1
        ? messages.get(0).toString()
        : "exchange of " + messages.size() + " messages";
  }
}
