// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ChannelRoom;
import io.tombolo.rdma.Fabric;
import java.util.ArrayDeque;
import java.util.Deque;

/** One end of a channel over a simulated rail. What is under way when it closes may come later. */
final class WorldChannel implements Channel {
  private static final int LONGEST_DELAY_BITS = 20;

  private static final class Post {
    private final long tag;
    private final WorldMemory memory;
    private final long offset;
    private final int bytes;
    private boolean isDone;

    Post(long tag, WorldMemory memory, long offset, int bytes) {
      this.tag = tag;
      this.memory = memory;
      this.offset = offset;
      this.bytes = bytes;
    }
  }

  private final World world;
  private final WorldRail rail;
  private final int side;
  private final Fabric fabric;
  private final Deadline deadline;
  private final Deque<Post> sends = new ArrayDeque<>();
  private final Deque<Post> receives = new ArrayDeque<>();
  private final Deque<Post> unmatchedSends = new ArrayDeque<>();
  private final Deque<Post> unmatchedReceives = new ArrayDeque<>();
  private WorldChannel peer;
  private boolean closed;
  private boolean peerClosed;
  private int copying;

  WorldChannel(World world, WorldRail rail, int side, Fabric fabric, Deadline deadline) {
    this.world = world;
    this.rail = rail;
    this.side = side;
    this.fabric = fabric;
    this.deadline = deadline;
  }

  /**
   * Both ends are there; one of them may have closed already, and a rail that is broken joins none.
   */
  void meet(WorldChannel other) {
    if (rail.isBroken()) {
      return;
    }
    peer = other;
    other.peer = this;
    if (closed) {
      tellPeer();
    }
    if (other.closed) {
      other.tellPeer();
    }
    match();
    other.match();
  }

  private void tellPeer() {
    world.within(1L << LONGEST_DELAY_BITS, () -> peer.peerClosed = true);
  }

  /** The n-th send meets the n-th receive. */
  private void match() {
    while (peer != null && !unmatchedSends.isEmpty() && !peer.unmatchedReceives.isEmpty()) {
      Post from = unmatchedSends.poll();
      Post to = peer.unmatchedReceives.poll();
      if (from.tag != to.tag || from.bytes != to.bytes) {
        throw new AssertionError("the two sides cut their messages differently");
      }
      world.within(world.delay(LONGEST_DELAY_BITS) + 1, () -> leave(from, to));
    }
  }

  private void leave(Post from, Post to) {
    if (rail.pausedUntilNs() > world.read()) {
      world.at(rail.pausedUntilNs(), () -> leave(from, to));
    } else if (!closed && !rail.isBroken()) {
      byte[] bytes = from.memory.read(from.offset, from.bytes);
      from.isDone = rail.isSentEarly();
      world.within(world.delay(LONGEST_DELAY_BITS) + 1, () -> peer.arrive(from, to, bytes));
    }
  }

  private void arrive(Post from, Post to, byte[] bytes) {
    if (!closed && !rail.isBroken()) {
      copying++;
      world.within(
          rail.copyNs(),
          () -> {
            to.memory.write(to.offset, bytes);
            to.isDone = true;
            from.isDone = true;
            copying--;
          });
    }
  }

  private void check() {
    if (closed) {
      throw new AbortedException("the channel is closed on this side");
    }
    if (rail.isDead(side)) {
      throw rail.cause();
    }
    if (peer == null && deadline.isExpired()) {
      throw new DeadlineExceededException("the rail did not open");
    }
    if (peerClosed) {
      throw new PeerFailedException("the peer has closed its end");
    }
  }

  @Override
  public int peer() {
    return 1 - side;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public boolean isOpen() {
    check();
    return peer != null;
  }

  @Override
  public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    check();
    return post(tag, memory, offset, sizeBytes, sends, unmatchedSends);
  }

  @Override
  public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    check();
    return post(tag, memory, offset, sizeBytes, receives, unmatchedReceives);
  }

  private boolean post(
      long tag,
      LocalMemory memory,
      long offset,
      long sizeBytes,
      Deque<Post> posts,
      Deque<Post> unmatched) {
    if (posts.size() == ChannelRoom.MAX_POSTED) {
      return false;
    }
    Post post = new Post(tag, (WorldMemory) memory, offset, (int) sizeBytes);
    posts.add(post);
    unmatched.add(post);
    match();
    if (peer != null) {
      peer.match();
    }
    return true;
  }

  @Override
  public int poll(Completions completions) {
    int reported = 0;
    for (; !sends.isEmpty() && sends.peek().isDone; reported++) {
      Post post = sends.poll();
      completions.onSent(post.tag, post.bytes);
    }
    for (; !receives.isEmpty() && receives.peek().isDone; reported++) {
      Post post = receives.poll();
      completions.onReceived(post.tag, post.bytes);
    }
    if (reported == 0) {
      check();
    }
    return reported;
  }

  @Override
  public long sentBytes() {
    return 0;
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
  public boolean isDrained() {
    return copying == 0;
  }

  @Override
  public boolean isQuiet() {
    return !rail.isFenced() || (closed && copying == 0);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (peer != null) {
        tellPeer();
      }
    }
  }
}
