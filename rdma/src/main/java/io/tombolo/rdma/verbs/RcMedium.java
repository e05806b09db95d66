// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import java.io.IOException;
import java.util.Optional;

/**
 * Peers on the same RDMA fabric, through reliable connections. A socket carries the handshake, and
 * stays open so that each side sees the other end.
 */
final class RcMedium implements Medium {
  static final String NAME = "rc";

  private static final FabricTraits TRAITS =
      new FabricTraits(true, true, true, FabricTraits.Path.STAGED);

  /** Rounds between two looks for memory that was freed. */
  private static final int ROUNDS_PER_SWEEP = 64;

  private final NicPort nic;
  private final VerbsDoor door;
  private final HostPinner pinner;
  private final Registrations registrations;
  private int rounds;

  RcMedium(NicPort nic, VerbsDoor door, HostPinner pinner) {
    this.nic = nic;
    this.door = door;
    this.pinner = pinner;
    this.registrations = new Registrations(nic, Registrations.MOST);
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
    return new RcLink(nic, joined.socket(), joined.geometry(), pinner, registrations);
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
