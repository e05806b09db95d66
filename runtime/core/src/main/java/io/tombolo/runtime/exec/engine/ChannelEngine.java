// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Step;

/** Carries the messages of both directions of one channel. */
public final class ChannelEngine implements Engine, Channel.Completions {
  /** Messages under way in one direction; a channel takes no more before it reports some. */
  private static final int DEPTH = 256;

  /** Says of a message without bytes that it is a word. */
  private static final long WORD = -1;

  private static final LocalMemory NOTHING = new HostWindow(0, 0);
  private static final int NO_STEP = -1;

  private final Channel channel;
  private final StepQueue sending = new StepQueue(DEPTH);
  private final StepQueue receiving = new StepQueue(DEPTH);

  public ChannelEngine(Channel channel) {
    this.channel = channel;
  }

  public Channel channel() {
    return channel;
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    boolean sends = step.action() instanceof Action.Send;
    StepQueue queue = sends ? sending : receiving;
    if (!queue.hasRoom() || !(sends ? send(step, binding) : receive(step, binding))) {
      return false;
    }
    queue.add(step.id(), ended);
    return true;
  }

  private boolean send(Step step, Binding binding) {
    Action.Send send = (Action.Send) step.action();
    return channel.send(
        send.key(),
        binding.memory(send.from()),
        binding.offset(send.from()),
        binding.bytes(send.from()));
  }

  private boolean receive(Step step, Binding binding) {
    Action.Receive receive = (Action.Receive) step.action();
    return channel.receive(
        receive.key(),
        binding.memory(receive.to()),
        binding.offset(receive.to()),
        binding.bytes(receive.to()));
  }

  /**
   * Sends a word, which is no step of any plan; {@code sent} is told when it is on its way. False
   * if there is no room for it now.
   */
  public boolean sendWord(Ended sent) {
    if (!sending.hasRoom() || !channel.send(WORD, NOTHING, 0, 0)) {
      return false;
    }
    sending.add(NO_STEP, sent);
    return true;
  }

  /** Receives a word; {@code arrived} is told when it has come. False as for sending. */
  public boolean receiveWord(Ended arrived) {
    if (!receiving.hasRoom() || !channel.receive(WORD, NOTHING, 0, 0)) {
      return false;
    }
    receiving.add(NO_STEP, arrived);
    return true;
  }

  @Override
  public int poll() {
    return channel.poll(this);
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    sending.endFirst();
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    receiving.endFirst();
  }
}
