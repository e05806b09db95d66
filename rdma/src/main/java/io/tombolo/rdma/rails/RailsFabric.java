// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.Instead;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.StagedFabric;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Several fabrics of one kind as one: each channel's bytes are spread over all rails that both
 * sides have, in proportion to their rates, and a rail that fails costs speed, not the channel.
 *
 * <p>A peer with whom we share one rail only is met over that alone, as if there were no others. A
 * message over several is in its memory when its send is done: until then it may have to be sent
 * again. So such a channel has {@link io.tombolo.rdma.ChannelRoom#LEAST}.
 */
public final class RailsFabric implements Fabric {
  /** The most rails of a process. */
  public static final int MAX_RAILS = RailsAddress.MAX_RAILS;

  private final ImmutableList<Rail> rails;
  private final FabricSettings settings;
  private final Optional<RailsMedium> medium;
  private final Optional<StagedFabric> striped;

  private RailsFabric(
      ImmutableList<Rail> rails, FabricSettings settings, Optional<RailsMedium> medium) {
    this.rails = rails;
    this.settings = settings;
    this.medium = medium;
    this.striped = medium.map(several -> new StagedFabric(several, settings));
  }

  /** A process with one rail, which publishes what that does. Takes its fabric. */
  public static RailsFabric over(Rail rail, FabricSettings settings) {
    return new RailsFabric(ImmutableList.of(rail), settings, Optional.empty());
  }

  /**
   * A process with several rails, whose control connections come to {@code sockets}. Takes these,
   * and the rails' fabrics.
   */
  public static RailsFabric over(List<Rail> rails, Medium sockets, FabricSettings settings) {
    checkArgument(
        rails.size() >= 2 && rails.size() <= MAX_RAILS,
        "2 to %s rails, not %s",
        MAX_RAILS,
        rails.size());
    ImmutableList<Rail> all = ImmutableList.copyOf(rails);
    return new RailsFabric(all, settings, Optional.of(new RailsMedium(all, sockets, settings)));
  }

  @Override
  public String name() {
    return first().name();
  }

  private Fabric first() {
    return rails.get(0).fabric();
  }

  @Override
  public FabricTraits traits() {
    return first().traits();
  }

  @Override
  public byte[] address() {
    return striped
        .map(several -> new RailsAddress(several.address(), entries()).encode())
        .orElseGet(first()::address);
  }

  private ImmutableList<RailsAddress.Entry> entries() {
    return rails.stream()
        .map(
            rail ->
                new RailsAddress.Entry(
                    rail.nic(), rail.megabytesPerSecond(), rail.fabric().address()))
        .collect(ImmutableList.toImmutableList());
  }

  /** Of several common rails it matters, too, whether the peer's listener can be dialled. */
  @Override
  public boolean reaches(byte[] peerAddress) {
    return RailsAddress.decode(peerAddress)
        .filter(
            peer -> {
              int common = pairs(peer, peerAddress).size();
              return common == 1 || (common > 1 && striped.orElseThrow().reaches(peer.listener()));
            })
        .isPresent();
  }

  /** Both sides know both addresses, and so agree on whose order counts. */
  private ImmutableList<RailPair> pairs(RailsAddress peer, byte[] peerAddress) {
    boolean weAreFirst = Arrays.compareUnsigned(address(), peerAddress) < 0;
    return RailPair.between(rails, peer.rails(), weAreFirst);
  }

  @Override
  public boolean readsFrom(MemoryBlock block) {
    return rails.stream().allMatch(rail -> rail.fabric().readsFrom(block));
  }

  @Override
  public boolean writesInto(MemoryBlock block) {
    return rails.stream().allMatch(rail -> rail.fabric().writesInto(block));
  }

  @Override
  public String reach() {
    return rails.size() == 1 ? first().reach() : first().reach() + ", " + rails.size() + " rails";
  }

  /** Only a process with one rail leaves that: with several, others help. */
  @Override
  public Optional<Instead> instead(int peer) {
    return rails.size() == 1 ? first().instead(peer) : Optional.empty();
  }

  @Override
  public Channel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
    RailsAddress address = RailsAddress.decode(peerAddress).orElse(RailsAddress.NONE);
    ImmutableList<RailPair> pairs = pairs(address, peerAddress);
    checkArgument(!pairs.isEmpty(), "rank %s is not within reach of %s", settings.rank(), name());
    if (pairs.size() == 1) {
      RailPair only = pairs.get(0);
      byte[] theirs = address.rails().get(only.theirs()).address();
      medium.ifPresent(several -> several.carryAlone(only.ours()));
      return rails.get(only.ours()).fabric().connect(peer, theirs, channelId, deadline);
    }
    medium.orElseThrow().meet(peer, channelId, new RailsMedium.Call(address, pairs, deadline));
    return striped.orElseThrow().connect(peer, address.listener(), channelId, deadline);
  }

  @Override
  public int progress() {
    return striped.isPresent() ? striped.get().progress() : first().progress();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (striped.isPresent()) {
      striped.get().awaits(wakeUps);
    } else {
      first().awaits(wakeUps);
    }
  }

  @Override
  public void close() {
    if (striped.isPresent()) {
      striped.get().close();
    } else {
      first().close();
    }
  }
}
