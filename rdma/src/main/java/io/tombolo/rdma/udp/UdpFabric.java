// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.ip.ListenAddress;
import io.tombolo.rdma.reliable.PauseWatch;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.staged.ChannelName;
import io.tombolo.rdma.staged.Hello;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers on any host, through UDP and the reliable protocol: one socket for all channels of a
 * process. Of two ranks the lesser one dials.
 *
 * <p>Messages wait at the sender until their receive is posted.
 */
public final class UdpFabric implements Fabric {
  static final String NAME = "udp";

  private static final Logger log = LoggerFactory.getLogger(UdpFabric.class);
  private static final FabricTraits TRAITS =
      new FabricTraits(
          true, true, false, FabricTraits.Path.STAGED, FabricTraits.Carrier.LOSSY_DATAGRAM);

  /** How long closing waits, at most, for peers to understand that this end is gone. */
  private static final int GOODBYE_ROUNDS = 100;

  private static final long GOODBYE_REST_NS = 200_000;

  private final FabricSettings settings;
  private final UdpSocket socket;
  private final ListenAddress address;
  private final SlotGeometry geometry;
  private final UdpCounters counters = new UdpCounters();
  private final UdpTransmitter transmitter;
  private final UdpReceiver receiver;
  private final UdpConnections connections;
  private final UdpGreeter greeter;
  private final GreetingProofs proofs;
  private final UdpReceiver.Arrivals arrivals = this::onArrival;
  private final List<UdpChannel> channels = new ArrayList<>();
  private final PauseWatch watch = new PauseWatch();
  private boolean closed;

  private UdpFabric(
      FabricSettings settings, UdpOptions options, UdpSocket socket, ListenAddress address) {
    this.settings = settings;
    this.socket = socket;
    this.address = address;
    UdpSizing sizing = UdpSizing.of(settings.geometry(), options, socket.receiveBufferBytes());
    geometry = sizing.geometry();
    int slotBytes = sizing.slotBytes();
    int slots = sizing.slotsPerDirection();
    transmitter = new UdpTransmitter(socket, counters, slots, slotBytes, settings.pinner());
    try {
      receiver = new UdpReceiver(socket, counters, slots, slotBytes, settings.pinner());
    } catch (RuntimeException e) {
      transmitter.close();
      throw e;
    }
    connections =
        new UdpConnections(transmitter, counters, sizing::protocol, options.faults(), settings);
    proofs = new GreetingProofs(settings.token());
    greeter = new UdpGreeter(settings, geometry, proofs, transmitter, connections, counters);
  }

  /**
   * Opens the socket; an {@link UnavailableException} if its address or port cannot be had.
   *
   * @param settings what every fabric of the process is opened with
   * @param options what only this one needs
   */
  public static UdpFabric open(FabricSettings settings, UdpOptions options) {
    UdpSocket socket = UdpSocket.open(options.bind(), options.socketBufferBytes());
    try {
      InetSocketAddress bound = new InetSocketAddress(options.bind().getAddress(), socket.port());
      return new UdpFabric(settings, options, socket, ListenAddress.of(bound));
    } catch (IOException e) {
      socket.close();
      throw new UnavailableException(
          "cannot list this host's addresses: " + e.getMessage() + "; bind to one of them", e);
    } catch (TomboloException e) {
      socket.close();
      throw e;
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
    return !candidates(peerAddress).isEmpty();
  }

  @Override
  public String reach() {
    return "network, " + TRAITS.carrier().text();
  }

  /** What has been sent and received. */
  public UdpCounters counters() {
    return counters;
  }

  @Override
  public UdpChannel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
    checkArgument(peer >= 0 && peer != rank(), "rank %s cannot connect to rank %s", rank(), peer);
    checkArgument(reaches(peerAddress), "rank %s is not within reach of udp", peer);
    checkState(!closed, "udp is closed");
    checkArgument(
        channels.stream().noneMatch(channel -> channel.leadsTo(peer, channelId)),
        "rank %s has channel %s to rank %s already",
        rank(),
        channelId,
        peer);
    ChannelName name = new ChannelName(rank(), peer, name(), channelId);
    UdpChannel channel = new UdpChannel(this, name, opening(name, peerAddress), deadline);
    channels.add(channel);
    return channel;
  }

  private UdpOpening opening(ChannelName name, byte[] peerAddress) {
    if (rank() > name.peer()) {
      return new UdpOpening.Listener(greeter, name.peer(), name.channelId());
    }
    Hello hello = Hello.of(rank(), name.peer(), name.channelId(), geometry);
    UdpDialling dialling = new UdpDialling(proofs, transmitter, candidates(peerAddress), hello);
    return new UdpOpening.Dialler(dialling, connections, name.peer());
  }

  private ImmutableList<UdpAddress> candidates(byte[] peerAddress) {
    return ListenAddress.decode(peerAddress).stream()
        .flatMap(peer -> peer.seenFrom(address.hostId()).stream())
        .map(UdpAddress::of)
        .filter(candidate -> socket.isV6() || candidate.isV4())
        .collect(toImmutableList());
  }

  @Override
  public int progress() {
    if (closed) {
      return 0;
    }
    long nowNs = settings.ticker().read();
    notePause(nowNs);
    int steps = receiver.progress(arrivals, nowNs);
    for (int i = 0; i < channels.size(); i++) {
      steps += channels.get(i).progress(nowNs);
    }
    return steps + greeter.progress(nowNs) + connections.progress(nowNs) + transmitter.progress();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    long nowNs = settings.ticker().read();
    wakeUps.on(socket.descriptor());
    if (!transmitter.isEmpty()) {
      wakeUps.soon();
    }
    for (int i = 0; i < channels.size(); i++) {
      channels.get(i).awaits(wakeUps, nowNs);
    }
    greeter.awaits(wakeUps, nowNs);
    connections.awaits(wakeUps);
    watch.rests();
  }

  private void notePause(long nowNs) {
    long pauseNs = watch.runs(nowNs);
    if (pauseNs > 0) {
      counters.stalls++;
      for (int i = 0; i < channels.size(); i++) {
        channels.get(i).onPause(pauseNs, nowNs);
      }
    }
  }

  private UdpConnection onArrival(int slot, ByteBuffer packet, long nowNs) {
    if (Greeting.isOne(packet)) {
      onGreeting(Greeting.read(packet), receiver.slots().path(slot), nowNs);
      return null;
    }
    UdpConnection connection =
        ReliableChannel.isAddressed(packet)
            ? connections.find(ReliableChannel.connection(packet), receiver.slots(), slot)
            : null;
    if (connection == null) {
      counters.strangers++;
      return null;
    }
    if (receiver.slots().isMarked(slot)) {
      counters.marked++;
      connection.onMark();
    }
    return connection.onPacket(packet, receiver.slots().address(slot), nowNs) ? connection : null;
  }

  private void onGreeting(Greeting heard, UdpPath source, long nowNs) {
    for (int i = 0; i < channels.size(); i++) {
      if (channels.get(i).onGreeting(heard, source, nowNs)) {
        return;
      }
    }
    greeter.onGreeting(heard, source, nowNs);
  }

  /**
   * Waits some milliseconds for peers to hear of it: a datagram that nobody takes any more tells
   * nobody that this end is gone.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    List.copyOf(channels).forEach(Channel::close);
    greeter.close(settings.ticker().read());
    for (int round = 0; round < GOODBYE_ROUNDS && connections.isSomebodyLeaving(); round++) {
      progress();
      LockSupport.parkNanos(GOODBYE_REST_NS);
    }
    progress();
    closed = true;
    connections.close();
    closeSlots();
    socket.close();
  }

  private void closeSlots() {
    if (transmitter.isQuiet() && receiver.isQuiet()) {
      transmitter.close();
      receiver.close();
    } else {
      log.warn("rank {} closed udp while copies were under way: its slots stay mapped", rank());
    }
  }

  int rank() {
    return settings.rank();
  }

  /** A channel has closed. */
  void forget(UdpChannel channel) {
    if (channels.remove(channel)) {
      channel.connection().ifPresent(c -> connections.retire(c, settings.ticker().read()));
    }
  }
}
