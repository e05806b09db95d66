// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.TransferQueue;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers on the same RDMA fabric, through reliable connections. A socket carries the handshake, and
 * stays open so that each side sees the other end.
 */
final class RcMedium implements Medium {
  private static final Logger log = LoggerFactory.getLogger(RcMedium.class);

  static final String NAME = "rc";

  private static final FabricTraits TRAITS =
      new FabricTraits(true, true, true, FabricTraits.Path.STAGED);

  /** Rounds between two looks for memory that was freed. */
  private static final int ROUNDS_PER_SWEEP = 64;

  private final NicPort nic;
  private final VerbsDoor door;
  private final HostPinner pinner;
  private final Ticker ticker;
  private final Registrations registrations;
  private int rounds;

  /**
   * Takes {@code nic} and {@code door}, unless it fails: what the first peer will need is made once
   * now, so that a device without room for it is known before anybody counts on it.
   */
  RcMedium(NicPort nic, VerbsDoor door, FabricSettings settings) {
    this.nic = nic;
    this.door = door;
    this.pinner = settings.pinner();
    this.ticker = settings.ticker();
    this.registrations = new Registrations(nic, Registrations.MOST, ticker);
    SlotGeometry geometry = settings.geometry();
    try (RcMemory memory = new RcMemory(nic.domain(), geometry, HostPinner.none());
        RcPair pair = new RcPair(nic, memory, geometry.slots())) {
      log.debug("queue pair {} of {} was made as a trial", pair.number(), nic);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FabricTraits traits() {
    return TRAITS;
  }

  @Override
  public byte[] address() {
    return door.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return door.reaches(peerAddress);
  }

  @Override
  public boolean readsFrom(MemoryBlock block) {
    return registrations.reaches(block);
  }

  /** Nobody is let write where there are no memory windows. */
  @Override
  public boolean writesInto(MemoryBlock block) {
    return Grants.canBeGiven(nic) && registrations.reaches(block);
  }

  @Override
  public String reach() {
    return "same RDMA fabric";
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return door.accept();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return door.dial(peerAddress, deadline);
  }

  @Override
  public SlotLink link(Joined joined) {
    return rcLink(joined);
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    return new RcMessages(joined.socket(), () -> rcLink(joined), sends, receives, ticker);
  }

  private RcLink rcLink(Joined joined) {
    return new RcLink(nic, joined.socket(), joined.geometry(), pinner, registrations, ticker);
  }

  @Override
  public int progress() {
    if (++rounds % ROUNDS_PER_SWEEP == 0) {
      registrations.sweep();
    }
    return 0;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    door.awaits(wakeUps);
    registrations.awaits(wakeUps);
  }

  @Override
  public void close() {
    door.close();
    registrations.close();
    nic.close();
  }
}
