// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import java.util.ArrayList;
import java.util.List;

/** A rail that can be cut, and that counts what it carries. */
final class CutRail implements Fabric {
  private final Fabric fabric;
  private final boolean isFenced;
  private final List<Channel> channels = new ArrayList<>();
  private boolean isCut;
  private boolean isSilent;
  private boolean isBroken;
  private boolean isBrokenAtRest;
  private int refusals;

  /** Over {@code fabric}; without a fence, closed channels are taken for quiet at once. */
  CutRail(Fabric fabric, boolean isFenced) {
    this.fabric = fabric;
    this.isFenced = isFenced;
  }

  /** From now on all its channels fail on this side. */
  void cut() {
    isCut = true;
  }

  /** From now on nothing comes or goes, and nobody says so. */
  void silence() {
    isSilent = true;
  }

  /** From now on its fabric fails with every round, after all that it does. */
  void breakFabric() {
    isBroken = true;
  }

  /** From now on its fabric fails whenever it is asked what it waits for. */
  void breakFabricAtRest() {
    isBrokenAtRest = true;
  }

  /** So many times its channels cannot be closed. */
  void refuseToClose(int times) {
    refusals = times;
  }

  /** Whether all its channels carry. */
  boolean isOpen() {
    return channels.stream().allMatch(Channel::isOpen);
  }

  /** How many channels were opened over it. */
  int opened() {
    return channels.size();
  }

  /** What the channels that are open have sent. */
  long sentBytes() {
    return channels.stream().mapToLong(Channel::sentBytes).sum();
  }

  @Override
  public String name() {
    return fabric.name();
  }

  @Override
  public FabricTraits traits() {
    return fabric.traits();
  }

  @Override
  public byte[] address() {
    return fabric.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return fabric.reaches(peerAddress);
  }

  @Override
  public String reach() {
    return fabric.reach();
  }

  @Override
  public Channel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
    Channel channel = new CutChannel(fabric.connect(peer, peerAddress, channelId, deadline));
    channels.add(channel);
    return channel;
  }

  @Override
  public int progress() {
    int steps = isSilent ? 0 : fabric.progress();
    if (isBroken) {
      throw new FabricException("the driver says no", -1);
    }
    return steps;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (isBrokenAtRest) {
      throw new FabricException("the driver says no", -1);
    }
    fabric.awaits(wakeUps);
  }

  @Override
  public void close() {
    fabric.close();
  }

  private void check() {
    if (isCut) {
      throw new PeerFailedException("somebody has cut the cable");
    }
  }

  private final class CutChannel implements Channel {
    private final Channel channel;

    CutChannel(Channel channel) {
      this.channel = channel;
    }

    @Override
    public int peer() {
      return channel.peer();
    }

    @Override
    public Fabric fabric() {
      return CutRail.this;
    }

    @Override
    public boolean isOpen() {
      check();
      return channel.isOpen();
    }

    @Override
    public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
      check();
      return channel.send(tag, memory, offset, sizeBytes);
    }

    @Override
    public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
      check();
      return channel.receive(tag, memory, offset, sizeBytes);
    }

    @Override
    public int poll(Completions completions) {
      check();
      return isSilent ? 0 : channel.poll(completions);
    }

    @Override
    public long sentBytes() {
      return channel.sentBytes();
    }

    @Override
    public long receivedBytes() {
      return channel.receivedBytes();
    }

    @Override
    public long copiedBytes() {
      return channel.copiedBytes();
    }

    @Override
    public boolean isDrained() {
      return channel.isDrained();
    }

    @Override
    public boolean isQuiet() {
      return !isFenced || channel.isQuiet();
    }

    @Override
    public void close() {
      if (refusals > 0) {
        refusals--;
        throw new FabricException("the driver says not now", -1);
      }
      channel.close();
    }
  }
}
