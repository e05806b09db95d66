// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.TransferQueue;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Peers over several rails. A socket carries the handshake, and stays open as the control
 * connection.
 */
final class RailsMedium implements Medium {
  private final ImmutableList<GuardedRail> rails;
  private final Medium sockets;
  private final FabricSettings settings;
  private final Map<Meeting, Call> calls = new HashMap<>();

  /** Which channel to which rank. */
  private record Meeting(int peer, long channelId) {}

  /**
   * A channel that is being opened.
   *
   * @param address where the peer's rails are
   * @param pairs which rails belong together
   * @param deadline when it must be open
   */
  record Call(RailsAddress address, ImmutableList<RailPair> pairs, Deadline deadline) {}

  /** Takes {@code sockets} and the fabrics of {@code rails}. */
  RailsMedium(ImmutableList<Rail> rails, Medium sockets, FabricSettings settings) {
    this.rails = rails.stream().map(GuardedRail::new).collect(ImmutableList.toImmutableList());
    this.sockets = sockets;
    this.settings = settings;
  }

  /** Remembers what is to be known of a channel before its ends are joined. */
  void meet(int peer, long channelId, Call call) {
    calls.put(new Meeting(peer, channelId), call);
  }

  /** A peer is met over {@code rail} alone, see {@link GuardedRail#carryAlone}. */
  void carryAlone(int rail) {
    rails.get(rail).carryAlone();
  }

  private Fabric first() {
    return rails.get(0).rail().fabric();
  }

  @Override
  public String name() {
    return first().name();
  }

  @Override
  public FabricTraits traits() {
    return first().traits();
  }

  @Override
  public byte[] address() {
    return sockets.address();
  }

  /** Asked of what {@link RailsAddress#listener} says. */
  @Override
  public boolean reaches(byte[] peerAddress) {
    return sockets.reaches(peerAddress);
  }

  @Override
  public String reach() {
    return first().reach();
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return sockets.accept();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return sockets.dial(peerAddress, deadline);
  }

  @Override
  public SlotLink link(Joined joined) {
    throw new IllegalStateException("rails carry messages without slots of their own");
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    Call call = calls.remove(new Meeting(joined.peer(), joined.channelId()));
    return new RailsLink(new RailsRoute(rails, call, joined), sends, receives, settings.ticker());
  }

  @Override
  public int progress() {
    int steps = 0;
    for (int rail = 0; rail < rails.size(); rail++) {
      steps += rails.get(rail).progress();
    }
    return steps;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    sockets.awaits(wakeUps);
    rails.forEach(rail -> rail.awaits(wakeUps));
  }

  @Override
  public void close() {
    sockets.close();
    rails.forEach(GuardedRail::close);
  }
}
