// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.work.PlacedCall;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A group of ranks as torch's c10d knows it, over a {@link Communicator}: what plug-ins for other
 * frameworks sit on. Operations have c10d's names and rules; tensors are the caller's memory, in
 * the order of the caller's streams, and nothing here blocks unless it says so.
 *
 * <p>Collective calls come from one thread at a time and in one order on all ranks; so do calls
 * between {@link #startCoalescing} and {@link #endCoalescing}. A tensor's memory belongs to the
 * group until {@link GroupWork#buffersReleased}.
 */
public final class ProcessGroup implements AutoCloseable {
  /** The name under which plug-ins register. */
  public static final String BACKEND = "tombolo";

  private final Communicator communicator;
  private final String name;
  private final TensorCalls calls;
  private final Map<Long, Stream> streams = new HashMap<>();
  private volatile Optional<Duration> timeout = Optional.empty();
  private Coalescing coalescing;

  /** The ranks of {@code communicator} as the group called {@code name}, which closes it. */
  public ProcessGroup(Communicator communicator, String name) {
    this.communicator = communicator;
    this.name = name;
    this.calls = new TensorCalls(communicator.rank(), communicator.size());
  }

  /** Joins the job of {@code environment}, see {@link Communicator#join}; blocks. */
  public static ProcessGroup join(JobEnvironment environment, String name) {
    return new ProcessGroup(Communicator.join(environment), name);
  }

  /** This process's rank in the group. */
  public int rank() {
    return communicator.rank();
  }

  /** Number of ranks. */
  public int size() {
    return communicator.size();
  }

  /** What the group is called. */
  public String name() {
    return name;
  }

  /** The communicator below. */
  public Communicator communicator() {
    return communicator;
  }

  /** How long an operation may take from now on, unless its options say otherwise. */
  public void setTimeout(Duration limit) {
    timeout = Optional.of(limit);
  }

  /**
   * Memory and stream of a program around this one, by address and by the vendor's handle. Handles
   * are kept: give each one for as long as the group lives.
   */
  public synchronized Tensor tensor(long address, long count, DataType type, long streamHandle) {
    Stream stream = streams.computeIfAbsent(streamHandle, communicator.device()::streamOf);
    return new Tensor(address, count, type, stream);
  }

  /** Everyone's {@code tensor} becomes the root's. */
  public GroupWork broadcast(Tensor tensor, OpOptions.Rooted options) {
    return call(calls.broadcast(tensor, options.rootRank()), tensor, options);
  }

  /** Everyone's {@code tensor} becomes the combination of all. */
  public GroupWork allreduce(Tensor tensor, OpOptions.Reducing options) {
    return call(
        calls.vector(Collective.ALL_REDUCE, tensor, options.reduceOp(), 0), tensor, options);
  }

  /** {@link #allreduce} of several tensors as one operation. */
  public GroupWork allreduceCoalesced(List<Tensor> tensors, OpOptions.Reducing options) {
    return together(() -> tensors.forEach(tensor -> allreduce(tensor, options)));
  }

  /** The root's {@code tensor} becomes the combination of all; the others' stay as they are. */
  public GroupWork reduce(Tensor tensor, OpOptions.RootedReducing options) {
    return call(
        calls.vector(Collective.REDUCE, tensor, options.reduceOp(), options.rootRank()),
        tensor,
        options);
  }

  /** Gathers everyone's {@code input} in {@code outputs}, by rank; sizes may differ. */
  public GroupWork allgather(List<Tensor> outputs, Tensor input, OpOptions.Plain options) {
    return call(calls.allgather(outputs, input), input, options);
  }

  /** Gathers everyone's {@code input} in {@code output}, end to end. */
  public GroupWork allgatherIntoTensor(Tensor output, Tensor input, OpOptions.Plain options) {
    return call(calls.allgatherIntoTensor(output, input), input, options);
  }

  /** {@link #allgatherIntoTensor} of several pairs as one operation. */
  public GroupWork allgatherIntoTensorCoalesced(
      List<Tensor> outputs, List<Tensor> inputs, OpOptions.Plain options) {
    checkPairs(outputs, inputs);
    return together(
        () -> {
          for (int i = 0; i < outputs.size(); i++) {
            allgatherIntoTensor(outputs.get(i), inputs.get(i), options);
          }
        });
  }

  /** Gathers everyone's {@code input} in the root's {@code outputs}; others give an empty list. */
  public GroupWork gather(List<Tensor> outputs, Tensor input, OpOptions.Rooted options) {
    return call(calls.gather(outputs, input, options.rootRank()), input, options);
  }

  /** Everyone's {@code output} becomes its one of the root's {@code inputs}; others give none. */
  public GroupWork scatter(Tensor output, List<Tensor> inputs, OpOptions.Rooted options) {
    return call(calls.scatter(output, inputs, options.rootRank()), output, options);
  }

  /** Combines everyone's {@code inputs} one by one; each rank gets its own; sizes may differ. */
  public GroupWork reduceScatter(Tensor output, List<Tensor> inputs, OpOptions.Reducing options) {
    return call(calls.reduceScatter(output, inputs, options.reduceOp()), output, options);
  }

  /** As {@link #reduceScatter}, with all inputs end to end in one tensor. */
  public GroupWork reduceScatterTensor(Tensor output, Tensor input, OpOptions.Reducing options) {
    return call(calls.reduceScatterTensor(output, input, options.reduceOp()), output, options);
  }

  /** {@link #reduceScatterTensor} of several pairs as one operation. */
  public GroupWork reduceScatterTensorCoalesced(
      List<Tensor> outputs, List<Tensor> inputs, OpOptions.Reducing options) {
    checkPairs(outputs, inputs);
    return together(
        () -> {
          for (int i = 0; i < outputs.size(); i++) {
            reduceScatterTensor(outputs.get(i), inputs.get(i), options);
          }
        });
  }

  /**
   * Sends each rank its part of {@code input}, and puts what comes end to end into {@code output}.
   *
   * @param outputSplits elements from each rank; none at all: alike, then on all ranks
   * @param inputSplits elements for each rank; none at all: alike, then on all ranks
   */
  public GroupWork alltoallBase(
      Tensor output,
      Tensor input,
      long[] outputSplits,
      long[] inputSplits,
      OpOptions.Plain options) {
    return call(calls.alltoallBase(output, input, outputSplits, inputSplits), input, options);
  }

  /** Sends each rank its one of {@code inputs}; what comes goes to {@code outputs}, by rank. */
  public GroupWork alltoall(List<Tensor> outputs, List<Tensor> inputs, OpOptions.Plain options) {
    PlacedCall call = calls.alltoall(outputs, inputs);
    return call(call, inputs.get(0), options);
  }

  /**
   * Sends {@code tensor} to {@code peer}, which must receive as many bytes with the same {@code
   * tag}. Messages of one tag between two ranks match in their order.
   */
  public GroupWork send(Tensor tensor, int peer, int tag, OpOptions.Plain options) {
    Message message = Message.send(tensor.on(communicator.device()), peer).tagged(tag);
    return message(message, tensor, options);
  }

  /** Receives {@code tensor} from {@code peer}, which sends it with {@code tag}. */
  public GroupWork recv(Tensor tensor, int peer, int tag, OpOptions.Plain options) {
    Message message = Message.receive(tensor.on(communicator.device()), peer).tagged(tag);
    return message(message, tensor, options);
  }

  /**
   * Receives {@code tensor} from whichever rank sends first with {@code tag}: {@link
   * GroupWork#sourceRank} tells which. Later receives of this tag wait until it has met a message.
   */
  public GroupWork recvAnySource(Tensor tensor, int tag, OpOptions.Plain options) {
    Message message = Message.receiveFromAny(tensor.on(communicator.device())).tagged(tag);
    return message(message, tensor, options);
  }

  /** Lets no rank's {@code stream} go on before every rank's came. */
  public GroupWork barrier(Stream stream, OpOptions.Plain options) {
    return call(PlacedCall.barrier(), new Tensor(0, 0, DataType.U8, stream), options);
  }

  /**
   * Blocks until all ranks have called this; works without devices and channels, through the store.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException on all ranks, naming all that did not
   *     come within {@code limit}
   */
  public void monitoredBarrier(Duration limit) {
    communicator.meet(limit);
  }

  /** Puts the following calls off until {@link #endCoalescing}, to make them at once. */
  public void startCoalescing() {
    if (coalescing != null) {
      throw new UsageException("coalescing has been started already; end it first");
    }
    coalescing = new Coalescing();
  }

  /**
   * Makes all calls since {@link #startCoalescing} as one operation: collectives in one {@link
   * Communicator#group}, messages in one {@link Communicator#exchange}. The options of the last
   * call hold for all.
   */
  public GroupWork endCoalescing() {
    if (coalescing == null) {
      throw new UsageException("coalescing has not been started");
    }
    Coalescing ended = coalescing;
    coalescing = null;
    return ended.make(communicator);
  }

  /** Several calls as one operation, or as part of the one that is being put together. */
  private GroupWork together(Runnable some) {
    if (coalescing != null) {
      some.run();
      return coalescing.last();
    }
    startCoalescing();
    try {
      some.run();
    } catch (RuntimeException e) {
      coalescing = null;
      throw e;
    }
    return endCoalescing();
  }

  private GroupWork call(PlacedCall call, Tensor at, OpOptions options) {
    return coalescing == null
        ? new GroupWork(at.stream(), communicator.call(call, options.forCall(timeout), at.stream()))
        : coalescing.add(call, at.stream(), options.forCall(timeout));
  }

  private GroupWork message(Message message, Tensor at, OpOptions options) {
    return coalescing == null
        ? new GroupWork(
            at.stream(),
            communicator.exchange(List.of(message), options.forCall(timeout), at.stream()))
        : coalescing.add(message, at.stream(), options.forCall(timeout));
  }

  private static void checkPairs(List<Tensor> outputs, List<Tensor> inputs) {
    if (outputs.size() != inputs.size()) {
      throw new UsageException(
          outputs.size() + " outputs for " + inputs.size() + " inputs; give as many");
    }
  }

  /** The failure that ended the group, if one did. */
  public Optional<TomboloException> error() {
    return communicator.failure();
  }

  /** Gives up all operations under way, and with them the group, on all ranks. Does not block. */
  public void abort() {
    communicator.abort();
  }

  /**
   * Leaves the group, as {@link Communicator#close}, which waits for the others for a second at
   * most. Operations under way are aborted first.
   */
  public void shutdown() {
    communicator.close();
  }

  /** As {@link #shutdown}. */
  @Override
  public void close() {
    shutdown();
  }
}
