// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeWaiter;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.ip.ListenAddress;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Peers on any host, through TCP; each channel is a connection of its own. */
public final class TcpMedium implements Medium {
  static final String NAME = "tcp";

  private static final int BACKLOG = 1024;

  /** Of sockets that only stand for peers which another network reaches: it may be well. */
  private static final Duration BESIDE_SILENCE = Duration.ofSeconds(25);

  private static final FabricTraits TRAITS =
      new FabricTraits(true, true, false, FabricTraits.Path.STAGED);

  private final HostPinner pinner;
  private final ServerSocketChannel listener;
  private final Selector arrivals;
  private final ListenAddress address;
  private final OptionalInt descriptor;
  private final Duration silence;

  private TcpMedium(
      HostPinner pinner,
      ServerSocketChannel listener,
      Selector arrivals,
      ListenAddress address,
      Duration silence) {
    this.silence = silence;
    this.pinner = pinner;
    this.listener = listener;
    this.arrivals = arrivals;
    this.address = address;
    this.descriptor = NativeWaiter.descriptorOf(listener);
  }

  /**
   * Listens on {@code bind} (port 0: any free one); an {@link UnavailableException} if that cannot
   * be had, a {@link io.tombolo.base.errors.ResourceException} if no more files may be open.
   */
  public static TcpMedium open(HostPinner pinner, InetSocketAddress bind) {
    return open(pinner, bind, BESIDE_SILENCE);
  }

  /**
   * As the other.
   *
   * @param silence after which a host that answers nothing counts as gone, instead of 25 s; zero:
   *     not soon
   */
  public static TcpMedium open(HostPinner pinner, InetSocketAddress bind, Duration silence) {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      Selector arrivals = null;
      try {
        listener.configureBlocking(false);
        listener.bind(bind, BACKLOG);
        InetSocketAddress bound = (InetSocketAddress) listener.getLocalAddress();
        arrivals = listener.provider().openSelector();
        listener.register(arrivals, SelectionKey.OP_ACCEPT);
        return new TcpMedium(pinner, listener, arrivals, ListenAddress.of(bound), silence);
      } catch (IOException | RuntimeException e) {
        if (arrivals != null) {
          Sockets.closeQuietly(arrivals);
        }
        Sockets.closeQuietly(listener);
        throw e;
      }
    } catch (IOException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot listen on " + bind, e);
      }
      throw new UnavailableException(
          "cannot listen on " + bind + ": " + e.getMessage() + "; choose another address or port",
          e);
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
    return address.encode();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return ListenAddress.decode(peerAddress)
        .filter(peer -> !peer.seenFrom(address.hostId()).isEmpty())
        .isPresent();
  }

  @Override
  public String reach() {
    return "network";
  }

  /** Asked for ever, and nearly always in vain: unlike accepting, selecting makes no garbage. */
  @Override
  public Optional<PeerSocket> accept() throws IOException {
    if (arrivals.selectNow() == 0) {
      return Optional.empty();
    }
    arrivals.selectedKeys().clear();
    SocketChannel channel = listener.accept();
    return channel == null ? Optional.empty() : Optional.of(TcpSocket.accepted(channel, silence));
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    ListenAddress peer = ListenAddress.decode(peerAddress).orElseThrow();
    return TcpSocket.dialling(peer.seenFrom(address.hostId()), deadline, silence);
  }

  @Override
  public SlotLink link(Joined joined) {
    return new TcpLink(joined.socket(), joined.geometry(), pinner);
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    descriptor.ifPresentOrElse(wakeUps::on, wakeUps::soon);
  }

  @Override
  public void close() {
    Sockets.closeQuietly(arrivals);
    Sockets.closeQuietly(listener);
  }
}
