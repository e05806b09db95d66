// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * A vendor library for tests: members are threads of this process, elements are f32 on the host
 * device, op is sum.
 */
final class MemoryVendor implements CclCommunicator {
  private final int position;
  private final float[][] given;
  private final Phaser meetings;
  private final Queue<Thread> callers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger offers = new AtomicInteger();
  private final AtomicReference<float[]> offered = new AtomicReference<>();

  private volatile boolean takesOffers = true;
  private volatile Optional<VendorException> failure = Optional.empty();

  private MemoryVendor(int position, float[][] given, Phaser meetings) {
    this.position = position;
    this.given = given;
    this.meetings = meetings;
  }

  /** The members of one communicator. */
  static List<MemoryVendor> members(int size) {
    float[][] given = new float[size][];
    Phaser meetings = new Phaser(size);
    return IntStream.range(0, size)
        .mapToObj(position -> new MemoryVendor(position, given, meetings))
        .toList();
  }

  /** Each rank's, by rank, where a cluster is of several: every cluster has a communicator. */
  static Map<Integer, MemoryVendor> ofClusters(Clustering clustering) {
    Map<Integer, MemoryVendor> vendors = new HashMap<>();
    for (Cluster cluster : clustering.clusters()) {
      if (cluster.size() > 1) {
        List<MemoryVendor> members = members(cluster.size());
        cluster.ranks().forEach(rank -> vendors.put(rank, members.get(cluster.positionOf(rank))));
      }
    }
    return vendors;
  }

  @Override
  public void allReduce(
      long send, long receive, long count, DataType type, ReduceOp op, Stream stream) {
    exchange(send, count, stream, () -> write(receive, sum(0, count)));
  }

  @Override
  public void reduce(
      long send, long receive, long count, DataType type, ReduceOp op, int root, Stream stream) {
    exchange(
        send,
        count,
        stream,
        () -> {
          if (position == root) {
            write(receive, sum(0, count));
          }
        });
  }

  @Override
  public void broadcast(
      long send, long receive, long count, DataType type, int root, Stream stream) {
    exchange(send, position == root ? count : 0, stream, () -> write(receive, given[root]));
  }

  @Override
  public void reduceScatter(
      long send, long receive, long count, DataType type, ReduceOp op, Stream stream) {
    exchange(
        send, count * given.length, stream, () -> write(receive, sum(position * count, count)));
  }

  @Override
  public void allGather(long send, long receive, long count, DataType type, Stream stream) {
    exchange(
        send,
        count,
        stream,
        () -> {
          for (int member = 0; member < given.length; member++) {
            write(receive + member * count * Float.BYTES, given[member]);
          }
        });
  }

  @Override
  public boolean takesOffers() {
    return takesOffers;
  }

  /** Takes sums only; what is offered is what the next call gives, whatever is there then. */
  @Override
  public void offer(
      Primitive primitive,
      long send,
      long receive,
      long count,
      DataType type,
      ReduceOp op,
      int root) {
    if (primitive != Primitive.ALL_REDUCE) {
      return;
    }
    if (!offered.compareAndSet(null, read(send, (int) count))) {
      throw new IllegalStateException("what was offered before has not been called");
    }
    offers.incrementAndGet();
  }

  /** Is, before any call, a library that has no such thing as offers. */
  void takeNoOffers() {
    takesOffers = false;
  }

  /** Calls from now on fail so, after they have done all. */
  void failWith(VendorException error) {
    failure = Optional.of(error);
  }

  /** How many calls were offered. */
  int offers() {
    return offers.get();
  }

  /** The threads that calls were made on, in their order. */
  List<Thread> callers() {
    return List.copyOf(callers);
  }

  private void exchange(long send, long count, Stream stream, Runnable result) {
    ((HostStream) stream)
        .enqueue(
            () -> {
              callers.add(Thread.currentThread());
              given[position] = given(send, (int) count);
              meet();
              result.run();
              meet();
              if (failure.isPresent()) {
                throw failure.get();
              }
            });
  }

  private float[] given(long send, int count) {
    float[] ahead = offered.getAndSet(null);
    if (ahead != null && ahead.length != count) {
      throw new IllegalStateException(
          count + " elements, but " + ahead.length + " have been offered");
    }
    return ahead == null ? read(send, count) : ahead;
  }

  private void meet() {
    try {
      if (meetings.awaitAdvanceInterruptibly(meetings.arrive()) < 0) {
        throw new IllegalStateException("aborted");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private float[] sum(long from, long count) {
    float[] sum = new float[(int) count];
    for (float[] operand : given) {
      for (int i = 0; i < count; i++) {
        sum[i] += operand[(int) from + i];
      }
    }
    return sum;
  }

  private static float[] read(long address, int count) {
    float[] values = new float[count];
    if (count > 0) {
      try (NativeMemory copy = NativeMemory.allocate((long) count * Float.BYTES)) {
        NativeMemory.copy(copy.address(), address, copy.sizeBytes());
        copy.view(0, count * Float.BYTES).asFloatBuffer().get(values);
      }
    }
    return values;
  }

  private static void write(long address, float[] values) {
    if (values.length > 0) {
      try (NativeMemory copy = NativeMemory.allocate((long) values.length * Float.BYTES)) {
        ByteBuffer view = copy.view(0, values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        view.asFloatBuffer().put(values);
        NativeMemory.copy(address, copy.address(), copy.sizeBytes());
      }
    }
  }

  @Override
  public void groupStart() {}

  @Override
  public void groupEnd() {}

  @Override
  public Optional<VendorException> asyncError() {
    return Optional.empty();
  }

  /** Also of who is about to come: the meetings are over for good. */
  @Override
  public void abort() {
    meetings.forceTermination();
  }

  @Override
  public void close() {}
}
