// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Step;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls the vendor's library, in program order, on a stream of its own; counts the bytes it hands
 * over.
 */
public final class VendorEngine implements Engine, AutoCloseable {
  private final CclCommunicator vendor;
  private final int members;
  private final Stream stream;
  private final StreamMarks marks;
  private final AtomicLong handedBytes = new AtomicLong();

  /**
   * Calls {@code vendor} of so many {@code members} on {@code stream}, which stays the caller's.
   */
  public VendorEngine(DeviceAdaptor device, CclCommunicator vendor, int members, Stream stream) {
    this.members = members;
    this.vendor = vendor;
    this.stream = stream;
    this.marks = new StreamMarks(device, stream);
  }

  /** Bytes of contributions handed to the library so far. */
  public long handedBytes() {
    return handedBytes.get();
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    if (!marks.hasRoom()) {
      return false;
    }
    if (step.action() instanceof Action.Exchange exchange) {
      exchange(exchange, binding);
      handedBytes.addAndGet(exchange.intraElements() * binding.type().sizeBytes());
    } else {
      call((Action.IntraCall) step.action(), binding, stream);
    }
    marks.mark(step.id(), ended);
    return true;
  }

  /** Makes {@code call} on {@code at}, which need not be this engine's stream. */
  public void call(Action.IntraCall call, Binding binding, Stream at) {
    handedBytes.addAndGet(call.intraElements() * binding.type().sizeBytes());
    long send = binding.address(call.input());
    long receive = binding.address(call.output());
    long count = count(call);
    DataType type = binding.type();
    switch (call.primitive()) {
      case ALL_REDUCE -> vendor.allReduce(send, receive, count, type, call.op(), at);
      case REDUCE -> vendor.reduce(send, receive, count, type, call.op(), call.root(), at);
      case BROADCAST -> vendor.broadcast(send, receive, count, type, call.root(), at);
      case REDUCE_SCATTER -> vendor.reduceScatter(send, receive, count, type, call.op(), at);
      case ALL_GATHER -> vendor.allGather(send, receive, count, type, at);
      case ALL_TO_ALL -> vendor.allToAll(send, receive, count, type, at);
      case GATHER -> vendor.gather(send, receive, count, type, call.root(), at);
      case SCATTER -> vendor.scatter(send, receive, count, type, call.root(), at);
      case SEND, RECEIVE -> throw noCallOfAll(call);
    }
  }

  /** As libraries count it. */
  private long count(Action.IntraCall call) {
    return switch (call.primitive()) {
      case ALL_REDUCE, REDUCE, ALL_GATHER, GATHER -> call.input().length();
      case BROADCAST, REDUCE_SCATTER, SCATTER -> call.output().length();
      case ALL_TO_ALL -> call.input().length() / members;
      case SEND, RECEIVE -> throw noCallOfAll(call);
    };
  }

  private static UnsupportedException noCallOfAll(Action.IntraCall call) {
    return new UnsupportedException(call.primitive().text() + " is no call of all members");
  }

  /**
   * Has the other members find this one's part of {@code call} ahead, where the library can; as
   * {@link CclCommunicator#offer}.
   */
  public void offer(Action.IntraCall call, Binding binding) {
    vendor.offer(
        call.primitive(),
        binding.address(call.input()),
        binding.address(call.output()),
        count(call),
        binding.type(),
        call.op(),
        call.root());
  }

  private void exchange(Action.Exchange exchange, Binding binding) {
    if (exchange.sends().isEmpty() && exchange.receives().isEmpty()) {
      return;
    }
    vendor.groupStart();
    try {
      exchangeAll(exchange, binding);
    } catch (RuntimeException e) {
      endGroupAfter(e);
      throw e;
    }
    vendor.groupEnd();
  }

  private void exchangeAll(Action.Exchange exchange, Binding binding) {
    DataType type = binding.type();
    for (Action.Transfer to : exchange.sends()) {
      vendor.send(binding.address(to.range()), to.range().length(), type, to.position(), stream);
    }
    for (Action.Transfer from : exchange.receives()) {
      vendor.receive(
          binding.address(from.range()), from.range().length(), type, from.position(), stream);
    }
  }

  /** Until its group has ended a communicator is in use, and its abort waits for that. */
  private void endGroupAfter(RuntimeException refusal) {
    try {
      vendor.groupEnd();
    } catch (RuntimeException e) {
      if (e != refusal) { // a library may throw the same error again
        refusal.addSuppressed(e);
      }
    }
  }

  @Override
  public int poll() {
    return marks.poll();
  }

  @Override
  public void close() {
    marks.close();
  }
}
