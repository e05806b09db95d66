// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.FabricTraits.Carrier;
import io.tombolo.rdma.FabricTraits.Path;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.TransferQueue;
import java.io.IOException;
import java.util.Optional;

/**
 * Peers on the same RDMA fabric, through unreliable queue pairs and the reliable protocol. A socket
 * carries the handshake, and stays open so that each side sees the other end.
 */
final class LossyMedium implements Medium {
  static final String UC_NAME = "uc";
  static final String UD_NAME = "ud";

  private static final FabricTraits UC =
      new FabricTraits(true, true, true, Path.STAGED, Carrier.LOSSY_WRITES);
  private static final FabricTraits UD =
      new FabricTraits(true, true, false, Path.STAGED, Carrier.LOSSY_DATAGRAM);

  /** Rounds between two looks for memory that was freed. */
  private static final int ROUNDS_PER_SWEEP = 64;

  private final PairType type;
  private final NicPort nic;
  private final VerbsDoor door;
  private final LossyPort port;
  private final Registrations registrations;
  private final FabricSettings settings;
  private final int paths;
  private final Optional<Faults> faults;
  private int rounds;

  LossyMedium(
      PairType type,
      NicPort nic,
      VerbsDoor door,
      FabricSettings settings,
      int paths,
      Optional<Faults> faults) {
    this.type = type;
    this.nic = nic;
    this.door = door;
    this.settings = settings;
    this.paths = paths;
    this.faults = faults;
    LossySizing sizing =
        new LossySizing(
            type,
            PortAttributes.mtuBytes(nic.card().mtu()),
            settings.geometry(),
            LossyDepths.of(type, nic.device().name(), nic.attributes()));
    registrations = new Registrations(nic, Registrations.MOST, settings.ticker());
    port = new LossyPort(nic, sizing, registrations, settings.pinner());
  }

  @Override
  public String name() {
    return type == PairType.UC ? UC_NAME : UD_NAME;
  }

  @Override
  public FabricTraits traits() {
    return type == PairType.UC ? UC : UD;
  }

  @Override
  public byte[] address() {
    return door.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return door.reaches(peerAddress);
  }

  /** A datagram carries its payload, and so has it copied. */
  @Override
  public boolean readsFrom(MemoryBlock block) {
    return type == PairType.UC && registrations.reaches(block);
  }

  @Override
  public String reach() {
    return "same RDMA fabric, " + traits().carrier().text();
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
    throw new IllegalStateException(name() + " carries messages without slots");
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    return new LossyLink(port, joined, sends, receives, paths, faults, settings.ticker());
  }

  @Override
  public int progress() {
    if (++rounds % ROUNDS_PER_SWEEP == 0) {
      registrations.sweep();
    }
    int steps = port.progress(settings.ticker().read()) + port.outgoing().progress();
    port.flush();
    return steps;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    door.awaits(wakeUps);
    registrations.awaits(wakeUps);
    port.awaits(wakeUps, settings.ticker().read());
  }

  @Override
  public void close() {
    door.close();
    port.close();
    registrations.close();
    nic.close();
  }
}
