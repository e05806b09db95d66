// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A channel between two executors of one process, for tests: messages are arrays in a queue. */
public final class MemoryChannel implements Channel {

  @SuppressWarnings("ArrayRecordComponent") // nobody compares messages
  private record Message(long tag, byte[] bytes) {}

  private record Expected(long tag, LocalMemory memory, long offset, long sizeBytes) {}

  private final int peer;
  private final Queue<Message> out;
  private final Queue<Message> in;
  private final Queue<Expected> expected = new ArrayDeque<>();
  private final Queue<Message> sent = new ArrayDeque<>();
  private volatile boolean broken;
  private long sentBytes;
  private boolean refusesToStop;
  private boolean closed;

  private MemoryChannel(int peer, Queue<Message> out, Queue<Message> in) {
    this.peer = peer;
    this.out = out;
    this.in = in;
  }

  /** Both ends of a new channel: the first belongs to {@code left}, whose peer is {@code right}. */
  public static MemoryChannel[] pair(int left, int right) {
    Queue<Message> there = new ConcurrentLinkedQueue<>();
    Queue<Message> back = new ConcurrentLinkedQueue<>();
    return new MemoryChannel[] {
      new MemoryChannel(right, there, back), new MemoryChannel(left, back, there)
    };
  }

  /** From now on this end behaves as if its peer had died. */
  public void breakNow() {
    broken = true;
  }

  /** When it is closed, a NIC does not let go at once. */
  void refuseToStop() {
    refusesToStop = true;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public int peer() {
    return peer;
  }

  @Override
  public Fabric fabric() {
    throw new UnsupportedOperationException("no fabric behind a test channel");
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    try (NativeMemory copy = NativeMemory.allocate(Math.max(1, sizeBytes))) {
      memory.copyOut(offset, copy.address(), sizeBytes);
      Message message = new Message(tag, copy.get(0, (int) sizeBytes));
      out.add(message);
      sent.add(message);
    }
    sentBytes += sizeBytes;
    return true;
  }

  @Override
  public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    return expected.add(new Expected(tag, memory, offset, sizeBytes));
  }

  @Override
  public int poll(Completions completions) {
    if (broken) {
      throw new PeerFailedException("rank " + peer + " is gone");
    }
    int count = 0;
    for (Message done = sent.poll(); done != null; done = sent.poll(), count++) {
      completions.onSent(done.tag(), done.bytes().length);
    }
    while (!expected.isEmpty() && !in.isEmpty()) {
      place(expected.remove(), in.remove(), completions);
      count++;
    }
    return count;
  }

  private static void place(Expected place, Message message, Completions completions) {
    if (place.tag() != message.tag() || place.sizeBytes() != message.bytes().length) {
      throw new CorruptException("message " + message.tag() + " meets receive " + place.tag());
    }
    try (NativeMemory copy = NativeMemory.allocate(Math.max(1, place.sizeBytes()))) {
      copy.put(0, message.bytes(), 0, message.bytes().length);
      place.memory().copyIn(place.offset(), copy.address(), place.sizeBytes());
    }
    completions.onReceived(place.tag(), place.sizeBytes());
  }

  @Override
  public long sentBytes() {
    return sentBytes;
  }

  @Override
  public long receivedBytes() {
    return 0;
  }

  @Override
  public long copiedBytes() {
    return 0;
  }

  @Override
  public void close() {
    boolean isFirst = !closed;
    closed = true;
    if (isFirst && refusesToStop) {
      throw new FabricException("the NIC does not let go of the channel to rank " + peer, 5);
    }
  }
}
