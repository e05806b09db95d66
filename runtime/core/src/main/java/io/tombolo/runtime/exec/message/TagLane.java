// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.engine.ChannelEngine;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.run.StepScheduler;
import io.tombolo.runtime.plan.Resource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.IntFunction;

/**
 * The messages of one tag. They have channels of their own, so that they match among themselves in
 * the order of the calls, and wait for no message of another tag. Used by the agent's thread only.
 */
final class TagLane {
  private final IntFunction<Channel> openChannel;
  private final CopyEngine copies;
  private final Map<Integer, ChannelEngine> channels = new HashMap<>();
  private final Map<Resource, Queue<PendingMessage>> queues = new HashMap<>();
  private final Deque<StepScheduler> schedulers = new ArrayDeque<>();

  /**
   * A lane without messages.
   *
   * @param openChannel opens the channel to a rank, at the first message to or from it
   */
  TagLane(IntFunction<Channel> openChannel, CopyEngine copies) {
    this.openChannel = openChannel;
    this.copies = copies;
  }

  /** {@code message} is behind all that came before it the same way. */
  void join(PendingMessage message) {
    if (message.channel().isPresent()) {
      queues.computeIfAbsent(message.channel().get(), way -> new ArrayDeque<>()).add(message);
    }
  }

  /** Whether all earlier messages the same way have been handed to the channel in full. */
  boolean isTurnOf(PendingMessage message) {
    return message.channel().isEmpty() || message.equals(queueOf(message).peek());
  }

  /** {@code message} has been handed to its channel in full: the next may begin. */
  void leave(PendingMessage message) {
    if (message.channel().isPresent() && message.equals(queueOf(message).peek())) {
      queueOf(message).remove();
    }
  }

  private Queue<PendingMessage> queueOf(PendingMessage message) {
    return queues.get(message.channel().get());
  }

  /** What one message's steps run in. */
  StepScheduler scheduler() {
    return schedulers.isEmpty() ? new StepScheduler(this::engine) : schedulers.pop();
  }

  /** {@code scheduler} is free for the next message. */
  void giveBack(StepScheduler scheduler) {
    schedulers.push(scheduler);
  }

  private Engine engine(Resource resource) {
    return switch (resource.kind()) {
      case COPY -> copies;
      case SEND, RECEIVE ->
          channels.computeIfAbsent(
              resource.peer(), peer -> new ChannelEngine(openChannel.apply(peer)));
      case HOST, VENDOR ->
          throw new IllegalArgumentException("messages combine nothing and go through no library");
    };
  }

  void close() {
    channels.values().forEach(engine -> engine.channel().close());
  }
}
