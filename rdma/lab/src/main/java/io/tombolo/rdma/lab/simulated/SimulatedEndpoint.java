// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.reliable.PacketSender;
import io.tombolo.rdma.reliable.PauseWatch;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import io.tombolo.rdma.reliable.ReliableChannel;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * One end of a channel on a {@link SimulatedNetwork}: NIC, duty cycle and timers of one node.
 *
 * <p>The NIC reads a chunk's memory when the packet departs and completes it locally some time
 * later, so memory that goes back too early is seen. Marks of long queues are seen on datagrams, as
 * IP headers and UD's global routing headers show them; a NIC that places writes keeps them to
 * itself.
 */
public final class SimulatedEndpoint implements PacketSender, AutoCloseable {
  /** The shortest duty cycle. */
  private static final long CYCLE_NS = 1_000;

  /** Headers of Ethernet, IP, UDP and InfiniBand on every packet. */
  private static final int FRAME_BYTES = 74;

  private final SimulatedNetwork network;
  private final int node;
  private final SimulatedSlab slab;
  private final SimulatedNic nic;
  private final SimulatedTurns turns;
  private final NativeMemory scratch;
  private final CRC32C checksum = new CRC32C();
  private SimulatedEndpoint peer;
  private ReliableChannel channel;
  private Channel.Completions completions;
  private long wakeNs = Long.MAX_VALUE;
  private TomboloException failure;
  private int posted;
  private int waiting;
  private long fartherNs;

  /**
   * The end of {@code node} for packets of at most {@code packetBytes}; {@code slab} may be null.
   */
  public SimulatedEndpoint(
      SimulatedNetwork network, int node, SimulatedSlab slab, int packetBytes) {
    this(network, node, slab, packetBytes, SimulatedNic.ample());
  }

  /** The same behind {@code nic}. */
  public SimulatedEndpoint(
      SimulatedNetwork network, int node, SimulatedSlab slab, int packetBytes, SimulatedNic nic) {
    this.nic = nic;
    this.network = network;
    this.node = node;
    this.slab = slab;
    turns = network.turns();
    scratch = NativeMemory.allocate(packetBytes);
  }

  /** Puts a channel, whose wire this is, on the way to {@code other}. */
  public void run(
      ReliableChannel newChannel, SimulatedEndpoint other, Channel.Completions newCompletions) {
    channel = newChannel;
    peer = other;
    completions = newCompletions;
    wake();
  }

  /** What it sends takes so much longer from now on, beyond the link that it shares with others. */
  public void farther(long newFartherNs) {
    fartherNs = newFartherNs;
  }

  /** The channel's error, or null. */
  public TomboloException failure() {
    return failure;
  }

  /** A packet that is not the peer's comes in {@code delayNs}. */
  public void hearStranger(byte[] packet, long delayNs) {
    network.at(network.nowNs() + delayNs, () -> arrive(() -> onPacket(packet, false)));
  }

  /** The channel has work: polls it soon. */
  public void wake() {
    schedule(network.nowNs());
  }

  private void schedule(long atNs) {
    if (atNs < wakeNs) {
      wakeNs = atNs;
      network.at(atNs, () -> whenItRuns(() -> onWake(atNs)));
    }
  }

  /** Does now what this process is to do, or when it has its turn again; in order. */
  private void whenItRuns(Runnable action) {
    long turnNs = network.turnNs(turns);
    if (turnNs > network.nowNs()) {
      network.at(turnNs, action);
    } else {
      action.run();
    }
  }

  /** Takes a receive until the process has heard of it; dropped where none is posted. */
  private void arrive(Runnable action) {
    if (hasReceive()) {
      waiting++;
      whenItRuns(
          () -> {
            waiting--;
            action.run();
          });
    }
  }

  private boolean hasReceive() {
    return waiting < nic.receiveDepth() && posted + waiting < nic.completionDepth();
  }

  /** What a process notices of its own pauses, as fabrics do. */
  private void noticePause() {
    long pauseNs = turns.takePauseNs();
    if (pauseNs > PauseWatch.PAUSE_NS) {
      channel.onPause(pauseNs, network.clockNs(node));
    }
  }

  private void onWake(long atNs) {
    if (atNs == wakeNs) {
      wakeNs = Long.MAX_VALUE;
      poll();
    }
  }

  private void poll() {
    if (failure != null) {
      return;
    }
    noticePause();
    try {
      channel.poll(network.clockNs(node), completions);
    } catch (TomboloException e) {
      failure = e;
      return;
    }
    long dueNs = channel.nextWakeNs();
    long soonestNs = network.nowNs() + CYCLE_NS;
    if (dueNs <= network.clockNs(node)) {
      schedule(soonestNs);
    } else if (dueNs != Long.MAX_VALUE) {
      schedule(Math.max(soonestNs, network.trueNs(node, dueNs)));
    }
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    if (!network.hasRoom()) {
      return false;
    }
    byte[] bytes = copyOf(packet);
    boolean marked = network.marks(node, peer.node);
    depart(bytes.length, () -> carry(() -> peer.arrive(() -> peer.onPacket(bytes, marked))));
    return true;
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    if (!hasRoomForPayload()) {
      return false;
    }
    byte[] bytes = Arrays.copyOf(copyOf(header), header.limit() + sizeBytes);
    int from = header.limit();
    boolean marked = network.marks(node, peer.node);
    post(
        bytes.length,
        cookie,
        reading(memory, offset, bytes, from, sizeBytes),
        () -> carry(() -> peer.arrive(() -> peer.onPacket(bytes, marked))));
    return true;
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
    if (nic.shapeTo(peer.nic) != Shape.PLACES_REMOTELY) {
      throw new IllegalStateException("a remote write where a NIC has no unreliable connections");
    }
    if (!hasRoomForPayload()) {
      return false;
    }
    byte[] bytes = new byte[sizeBytes];
    post(
        sizeBytes,
        cookie,
        reading(memory, offset, bytes, 0, sizeBytes),
        () -> carry(() -> peer.onWrite(immediate, remoteKey, remoteAddress, bytes)));
    return true;
  }

  private boolean hasRoomForPayload() {
    return network.hasRoom()
        && posted < nic.sendDepth()
        && posted + waiting < nic.completionDepth() / 2;
  }

  /** Reads the payload now if it goes inline; else what is returned does, when it leaves. */
  private Runnable reading(LocalMemory memory, long offset, byte[] to, int from, int sizeBytes) {
    if (sizeBytes <= nic.inlineBytes()) {
      read(memory, offset, to, from, sizeBytes);
      return () -> {};
    }
    return () -> read(memory, offset, to, from, sizeBytes);
  }

  private void post(int bytes, long cookie, Runnable reading, Runnable carrying) {
    posted++;
    long departureNs =
        depart(
            bytes,
            () -> {
              reading.run();
              carrying.run();
            });
    network.at(
        network.completionNs(Math.max(departureNs, network.nowNs())),
        () ->
            whenItRuns(
                () -> {
                  posted--;
                  channel.onPosted(cookie);
                  wake();
                }));
  }

  private long depart(int bytes, Runnable onDeparture) {
    long departureNs = network.departureNs(node, peer.node, bytes + FRAME_BYTES);
    if (departureNs >= 0) {
      network.at(departureNs, onDeparture);
    }
    return departureNs;
  }

  private void carry(Runnable arrival) {
    boolean far = fartherNs > 0;
    network.carry(
        node, peer.node, far ? () -> network.at(network.nowNs() + fartherNs, arrival) : arrival);
  }

  private void read(LocalMemory memory, long offset, byte[] to, int from, int sizeBytes) {
    if (sizeBytes > 0) {
      memory.copyOut(offset, scratch.address(0, sizeBytes), sizeBytes);
      scratch.view(0, sizeBytes).get(to, from, sizeBytes);
    }
  }

  private void onPacket(byte[] bytes, boolean marked) {
    network.trace(digest(bytes) * 31 + node);
    noticePause();
    if (marked) {
      channel.onMark();
    }
    scratch.put(0, bytes, 0, bytes.length);
    channel.onPacket(scratch.view(0, bytes.length), scratch.address(), network.clockNs(node));
    poll();
  }

  /** The NIC writes, whoever has his turn; the process hears of it when it has its own. */
  private void onWrite(int immediate, int key, long address, byte[] payload) {
    network.trace(digest(payload) * 31 + immediate);
    if (hasReceive()) {
      boolean landed = slab.write(address, key, payload);
      arrive(() -> onWritten(immediate, landed));
    }
  }

  private void onWritten(int immediate, boolean landed) {
    noticePause();
    if (landed) {
      channel.onImmediate(immediate, network.clockNs(node));
    } else {
      channel.onFencedWrite();
    }
    poll();
  }

  /** By a checksum that processors have an instruction for. */
  private long digest(byte[] bytes) {
    checksum.reset();
    checksum.update(bytes, 0, bytes.length);
    return checksum.getValue();
  }

  private static byte[] copyOf(ByteBuffer packet) {
    byte[] bytes = new byte[packet.remaining()];
    packet.duplicate().get(bytes);
    return bytes;
  }

  @Override
  public void close() {
    scratch.close();
  }
}
