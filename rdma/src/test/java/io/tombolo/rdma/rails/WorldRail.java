// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricTraits;
import java.util.HashMap;
import java.util.Map;

/** A simulated rail between two sides. It may die on one side or both, or fall silent. */
final class WorldRail {
  private final World world;
  private final boolean isFenced;
  private final boolean isSentEarly;
  private final boolean[] isDead = new boolean[2];
  private final Map<Long, WorldChannel[]> channels = new HashMap<>();
  private TomboloException cause;
  private boolean isSilent;
  private long opensWithinNs = 1;
  private int longestCopyBits = 26;
  private long leastCopyNs = 1;
  private long pausedUntilNs;

  /**
   * A rail of {@code world}.
   *
   * @param isFenced whether closed channels say when nothing touches memory any more
   * @param isSentEarly whether a send is done before its bytes are in place
   */
  WorldRail(World world, boolean isFenced, boolean isSentEarly) {
    this.world = world;
    this.isFenced = isFenced;
    this.isSentEarly = isSentEarly;
  }

  /** The NIC of {@code side} fails, and this side knows. */
  void die(int side) {
    die(side, new PeerFailedException("the NIC has failed"));
  }

  /** The channels of {@code side} fail with {@code why}. */
  void die(int side, TomboloException why) {
    isDead[side] = true;
    cause = why;
  }

  TomboloException cause() {
    return cause;
  }

  /** Its channels take up to so long to open. */
  WorldRail opensWithin(long ns) {
    opensWithinNs = ns;
    return this;
  }

  /** Copies of what arrives take up to so long, mostly less. */
  WorldRail copiesWithinBits(int bits) {
    longestCopyBits = bits;
    return this;
  }

  /** Copies of what arrives take at least so long. */
  WorldRail copiesTake(long ns) {
    leastCopyNs = ns;
    return this;
  }

  long copyNs() {
    return world.delay(longestCopyBits) + leastCopyNs;
  }

  /** Nothing travels for so long, and then goes on. */
  void pause(long ns) {
    pausedUntilNs = world.read() + ns;
  }

  long pausedUntilNs() {
    return pausedUntilNs;
  }

  /** From now on nothing gets through, and nobody knows. */
  void fallSilent() {
    isSilent = true;
  }

  boolean isDead(int side) {
    return isDead[side];
  }

  boolean isBroken() {
    return isSilent || isDead[0] || isDead[1];
  }

  boolean isFenced() {
    return isFenced;
  }

  boolean isSentEarly() {
    return isSentEarly;
  }

  /** What {@code side} has of it. */
  Fabric end(int side) {
    return new End(side);
  }

  private Channel connect(int side, long number, Fabric fabric, Deadline deadline) {
    WorldChannel[] both = channels.computeIfAbsent(number, unused -> new WorldChannel[2]);
    if (both[side] != null) {
      throw new IllegalStateException("channel " + number + " was opened twice");
    }
    both[side] = new WorldChannel(world, this, side, fabric, deadline);
    if (both[1 - side] != null) {
      world.within(opensWithinNs, () -> both[0].meet(both[1]));
    }
    return both[side];
  }

  private final class End implements Fabric {
    private final int side;

    End(int side) {
      this.side = side;
    }

    @Override
    public String name() {
      return "simulated";
    }

    @Override
    public FabricTraits traits() {
      return new FabricTraits(true, true, false, FabricTraits.Path.STAGED);
    }

    @Override
    public byte[] address() {
      return new byte[0];
    }

    @Override
    public boolean reaches(byte[] peerAddress) {
      return true;
    }

    @Override
    public String reach() {
      return "same world";
    }

    @Override
    public Channel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
      return WorldRail.this.connect(side, channelId, this, deadline);
    }

    @Override
    public int progress() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
