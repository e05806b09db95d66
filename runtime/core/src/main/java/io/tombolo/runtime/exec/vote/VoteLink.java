// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.memory.HostWindow;
import java.nio.ByteBuffer;

/** Votes to and from one neighbour: at most one on its way in each direction. */
final class VoteLink implements Channel.Completions, AutoCloseable {
  private static final int OUT = 0;
  private static final int IN = Vote.SIZE_BYTES;

  private final int place;
  private final Channel channel;
  private final NativeMemory memory;
  private final HostWindow window;
  private final ByteBuffer out;
  private final ByteBuffer in;
  private boolean arrived;

  /** What has been seen of a neighbour that has gone; null before. */
  private PeerFailedException gone;

  /**
   * To the neighbour at {@code place} in the communicator, over {@code channel}, with {@link
   * #memory()} of its own. It closes both.
   */
  VoteLink(int place, Channel channel, NativeMemory memory) {
    this.place = place;
    this.channel = channel;
    this.memory = memory;
    this.window = new HostWindow(memory.address(), memory.sizeBytes());
    this.out = memory.view(OUT, Vote.SIZE_BYTES);
    this.in = memory.view(IN, Vote.SIZE_BYTES);
  }

  /** Memory for one link. */
  static NativeMemory memory() {
    return NativeMemory.allocate(2L * Vote.SIZE_BYTES);
  }

  /** The neighbour's rank in the communicator. */
  int place() {
    return place;
  }

  /** Its rank in the job. */
  int peer() {
    return channel.peer();
  }

  /** Makes room for the next vote from the neighbour. */
  void expect() {
    post(channel.receive(Vote.SIZE_BYTES, window, IN, Vote.SIZE_BYTES));
  }

  void send(Vote vote) {
    vote.encode(out);
    post(channel.send(Vote.SIZE_BYTES, window, OUT, Vote.SIZE_BYTES));
  }

  private void post(boolean accepted) {
    if (!accepted) {
      throw new FabricException(
          "the control channel to rank " + peer() + " has no room for one vote", 0);
    }
  }

  /** Takes what has come; not to be called once the neighbour has {@link #gone}. */
  int poll() {
    try {
      return channel.poll(this);
    } catch (PeerFailedException e) {
      gone = e;
      return 1;
    }
  }

  /** How the neighbour went; null as long as it is there. */
  PeerFailedException gone() {
    return gone;
  }

  boolean hasArrived() {
    return arrived;
  }

  /** The vote that arrived, which is {@code mine} if it says the same; forgets it. */
  Vote take(Vote mine) {
    arrived = false;
    return mine.isRepeatedIn(in) ? mine : Vote.decode(in);
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    // The next send on this link waits for an answer from the neighbour, which comes after this.
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    arrived = true;
  }

  /** If the channel cannot be closed yet, the memory stays: its votes may be under way. */
  @Override
  public void close() {
    channel.close();
    memory.close();
  }
}
