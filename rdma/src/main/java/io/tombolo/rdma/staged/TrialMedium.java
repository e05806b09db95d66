// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.Instead;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers through a medium that may let sockets meet and carry nothing, as where a firewall stands
 * between: a channel that does not open through it goes by the connection by which its ends met, if
 * both ends may do so, and agree. From then on no channel to that peer tries it again.
 */
public final class TrialMedium implements Medium {
  private static final Logger log = LoggerFactory.getLogger(TrialMedium.class);

  private final Medium first;
  private final Medium sockets;
  private final int rank;
  private final Map<Integer, Instead> left = new ConcurrentHashMap<>();

  /**
   * For the process of {@code rank}: through {@code first}, which this takes.
   *
   * @param sockets the medium by which the peers of {@code first} meet, and which it closes
   */
  public TrialMedium(Medium first, Medium sockets, int rank) {
    this.first = first;
    this.sockets = sockets;
    this.rank = rank;
  }

  /** What is tried. */
  Medium first() {
    return first;
  }

  /** What is used where that does not open. */
  Medium sockets() {
    return sockets;
  }

  /** Both ends of a channel to {@code peer} have left what is tried. */
  void onLeft(int peer, String why) {
    Instead instead = new Instead(sockets.name(), sockets.reach(), why);
    if (left.putIfAbsent(peer, instead) == null) {
      log.warn(
          "rank {} reaches rank {} over {}: {} did not open: {}. To have an error instead, name"
              + " the fabrics that may be used, without {}, in TOMBOLO_FABRICS",
          rank,
          peer,
          sockets.name(),
          name(),
          why,
          sockets.name());
    }
  }

  @Override
  public Optional<Instead> instead(int peer) {
    return Optional.ofNullable(left.get(peer));
  }

  @Override
  public boolean mayBeLeft() {
    return true;
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    return joined.trial().isPresent()
        ? new TrialLink(this, joined, joined.trial().get(), sends, receives)
        : first.messages(joined, sends, receives);
  }

  @Override
  public SlotLink link(Joined joined) {
    return first.link(joined);
  }

  @Override
  public String name() {
    return first.name();
  }

  @Override
  public FabricTraits traits() {
    return first.traits();
  }

  @Override
  public byte[] address() {
    return first.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return first.reaches(peerAddress);
  }

  @Override
  public String reach() {
    return first.reach();
  }

  @Override
  public boolean readsFrom(MemoryBlock block) {
    return first.readsFrom(block);
  }

  @Override
  public boolean writesInto(MemoryBlock block) {
    return first.writesInto(block);
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return first.accept();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return first.dial(peerAddress, deadline);
  }

  @Override
  public int progress() {
    return first.progress();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    first.awaits(wakeUps);
  }

  @Override
  public void close() {
    first.close();
  }
}
