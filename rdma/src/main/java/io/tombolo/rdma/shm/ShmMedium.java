// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import java.util.Optional;

/**
 * Peers on this host. They meet at an abstract Unix socket, share a segment through it, and keep it
 * open: its end is how the death of a peer is seen.
 */
public final class ShmMedium implements Medium {
  static final String NAME = "shm";

  private static final FabricTraits TRAITS =
      new FabricTraits(true, true, false, FabricTraits.Path.SHARED);

  private final HostPinner pinner;
  private final ShmAddress address;
  private final int listener;
  private boolean closed;

  private ShmMedium(HostPinner pinner, ShmAddress address, int listener) {
    this.pinner = pinner;
    this.address = address;
    this.listener = listener;
  }

  /** Listens under a fresh name; segments are pinned by {@code pinner}. */
  public static ShmMedium open(HostPinner pinner) {
    ShmAddress address = ShmAddress.fresh(JobToken.nonce());
    int listener = UnixSystem.listen0(address.socketNameBytes());
    return new ShmMedium(pinner, address, UnixSystem.check("listen on a Unix socket", listener));
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
    return address.encode();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return ShmAddress.decode(peerAddress)
        .filter(peer -> peer.hostId().equals(address.hostId()))
        .isPresent();
  }

  @Override
  public String reach() {
    return "same host";
  }

  @Override
  public Optional<PeerSocket> accept() {
    int fd = UnixSystem.accept0(listener);
    return fd == UnixSystem.AGAIN
        ? Optional.empty()
        : Optional.of(UnixSocket.accepted(UnixSystem.check("accept on a Unix socket", fd)));
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return UnixSocket.dialling(ShmAddress.decode(peerAddress).orElseThrow().socketNameBytes());
  }

  @Override
  public SlotLink link(Joined joined) {
    return new ShmLink(
        (UnixSocket) joined.socket(), new ShmLayout(joined.geometry()), pinner, joined.dialled());
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    wakeUps.on(listener);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      UnixSystem.check("close a Unix socket", UnixSystem.close0(listener));
    }
  }
}
