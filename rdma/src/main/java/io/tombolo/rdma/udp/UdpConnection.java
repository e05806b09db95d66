// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.faulty.FaultyWire;
import io.tombolo.rdma.reliable.ChannelId;
import io.tombolo.rdma.reliable.PacketSender;
import io.tombolo.rdma.reliable.ProtocolConfig;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.staged.SlotLines;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One peer's end at one address, and the protocol run with it. */
final class UdpConnection implements PacketSender, UdpTransmitter.Owner, AutoCloseable {
  private static final Channel.Completions NOBODY =
      new Channel.Completions() {
        @Override
        public void onSent(long tag, long sizeBytes) {}

        @Override
        public void onReceived(long tag, long sizeBytes) {}
      };

  private final ChannelId id;
  private final UdpPath path;
  private final UdpTransmitter transmitter;
  private final Optional<FaultyWire> faulty;
  private final ReliableChannel reliable;
  private final SlotLines.Line copiesOut = new SlotLines.Line();
  private final SlotLines.Line copiesIn = new SlotLines.Line();
  private boolean stirred = true;
  private boolean failed;

  /** Whether it is not known any more if a copy goes on into what faults hold back. */
  private boolean lostSight;

  private long lingerEndNs;

  /** The next with the same hash; {@link UdpConnections}' own. */
  UdpConnection nextInBucket;

  UdpConnection(
      ChannelId id,
      UdpPath path,
      UdpTransmitter transmitter,
      ProtocolConfig config,
      Optional<Faults> faults,
      Ticker ticker,
      long nowNs) {
    this.id = id;
    this.path = path;
    this.transmitter = transmitter;
    faulty =
        faults.map(
            f -> new FaultyWire(this, f, packetBytes(config.chunkBytes()), ticker, this::onPosted));
    PacketSender wire = faulty.isPresent() ? faulty.get() : this;
    reliable = new ReliableChannel(id, config, wire, null, nowNs);
  }

  /** Bytes of a packet with {@code payloadBytes} in it. */
  static int packetBytes(int payloadBytes) {
    return payloadBytes + ReliableChannel.DATAGRAM_HEADER_BYTES;
  }

  int id() {
    return id.connection();
  }

  UdpAddress address() {
    return path.address();
  }

  /** What went wrong on purpose, if anything was to. */
  Optional<FaultyWire> faulty() {
    return faulty;
  }

  ReliableChannel reliable() {
    return reliable;
  }

  /** Whether a copy of what is in {@code packet} has begun. */
  boolean onPacket(ByteBuffer packet, long hostAddress, long nowNs) {
    long started = reliable.copiesStarted();
    reliable.onPacket(packet, hostAddress, nowNs);
    stirred = true;
    return reliable.copiesStarted() > started;
  }

  /** The packet that comes next has the mark of a long queue on it. */
  void onMark() {
    reliable.onMark();
  }

  @Override
  public SlotLines.Line copiesOut() {
    return copiesOut;
  }

  /** In which slots wait until what it copies out of them is. */
  SlotLines.Line copiesIn() {
    return copiesIn;
  }

  @Override
  public void onPosted(long cookie) {
    reliable.onPosted(cookie);
    stirred = true;
  }

  @Override
  public void onRefused(TomboloException why) {
    reliable.fail(why);
    stirred = true;
  }

  boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    stirred = true;
    return reliable.send(tag, memory, offset, sizeBytes);
  }

  boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    stirred = true;
    return reliable.receive(tag, memory, offset, sizeBytes);
  }

  /** Runs the protocol if there is something to do; throws its error. */
  int progress(Channel.Completions completions, long nowNs) {
    return passOn() + converse(completions, nowNs);
  }

  private int passOn() {
    if (faulty.isEmpty() || lostSight) {
      return 0;
    }
    try {
      return faulty.get().progress();
    } catch (TomboloException e) {
      lostSight = true;
      onRefused(e);
      return 1;
    }
  }

  private int converse(Channel.Completions completions, long nowNs) {
    if (!stirred && nowNs < reliable.nextWakeNs() && reliable.copiesPending() == 0) {
      return 0;
    }
    stirred = false;
    int done = reliable.poll(nowNs, completions);
    stirred |= done > 0;
    return done;
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}, of timers; packets are the socket's business. */
  void awaits(WakeUps wakeUps, long nowNs) {
    if (stirred || faulty.isPresent() || reliable.copiesPending() > 0) {
      wakeUps.soon();
    } else {
      wakeUps.within(reliable.restNs(nowNs));
    }
  }

  int copiesPending() {
    return reliable.copiesPending();
  }

  /** Whether it is not known any more if a copy of a device's goes on; it has failed, then. */
  boolean hasLostSight() {
    return lostSight || reliable.lostSight().isPresent();
  }

  long copiesFinished() {
    return reliable.copiesFinished();
  }

  long copiesStarted() {
    return reliable.copiesStarted();
  }

  /** Says goodbye: in order if nothing is under way, else at once. */
  void leave(long untilNs) {
    lingerEndNs = untilNs;
    if (reliable.isIdle()) {
      reliable.close();
    } else {
      reliable.abort();
      failed = true;
    }
    stirred = true;
  }

  /** Passes on what is held, and notes copies that have finished; after a failure. */
  int settle() {
    return passOn() + reliable.settle();
  }

  /** Goes on saying goodbye, to whoever has not understood it. */
  int linger(long nowNs) {
    if (failed) {
      return settle();
    }
    try {
      return progress(NOBODY, nowNs);
    } catch (TomboloException e) {
      failed = true; // the peer is gone as well: all is said
      return 1;
    }
  }

  /** Whether the peer knows, or cannot be told. */
  boolean isUnderstood() {
    return (failed || reliable.isClosed()) && (reliable.copiesPending() == 0 || hasLostSight());
  }

  boolean isGone(long nowNs) {
    return nowNs - lingerEndNs >= 0 && (hasLostSight() || isQuiet());
  }

  private boolean isQuiet() {
    return reliable.copiesPending() == 0 && faulty.map(FaultyWire::isQuiet).orElse(true);
  }

  /** Frees what it holds, unless a copy may still touch it. */
  @Override
  public void close() {
    if (!hasLostSight() && isQuiet()) {
      faulty.ifPresent(FaultyWire::close);
    }
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    return transmitter.packet(path, packet);
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    return transmitter.datagram(path, header, memory, offset, sizeBytes, this, cookie);
  }

  @Override
  public boolean sendAgain(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs) {
    throw new IllegalStateException("UDP carries datagrams, and writes nowhere");
  }
}
