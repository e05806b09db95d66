package io.tombolo.runtime.exec;

import io.tombolo.rdma.Channel;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayDeque;
import java.util.Queue;

/** Carries the messages of both directions of one channel. */
final class ChannelEngine implements Engine, Channel.Completions {

  private record Posted(int stepId, Ended ended) {
    void tell() {
      ended.ended(stepId);
    }
  }

  private final Channel channel;
  private final Queue<Posted> sending = new ArrayDeque<>();
  private final Queue<Posted> receiving = new ArrayDeque<>();

  ChannelEngine(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    Posted posted = new Posted(step.id(), ended);
    if (step.action() instanceof Action.Send send) {
      return channel.send(send.key(), window(send.from(), binding), 0, binding.bytes(send.from()))
          && sending.add(posted);
    }
    Action.Receive receive = (Action.Receive) step.action();
    return channel.receive(
            receive.key(), window(receive.to(), binding), 0, binding.bytes(receive.to()))
        && receiving.add(posted);
  }

  private static HostWindow window(Range range, Binding binding) {
    return new HostWindow(binding.address(range), binding.bytes(range));
  }

  @Override
  public int poll() {
    return channel.poll(this);
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    sending.remove().tell();
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    receiving.remove().tell();
  }
}
