// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.reliable.PacketSender;
import io.tombolo.rdma.reliable.PauseWatch;
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
  private final SimulatedTurns turns;
  private final NativeMemory scratch;
  private final CRC32C checksum = new CRC32C();
  private SimulatedEndpoint peer;
  private ReliableChannel channel;
  private Channel.Completions completions;
  private long wakeNs = Long.MAX_VALUE;
  private TomboloException failure;

  /**
   * The end of {@code node} for packets of at most {@code packetBytes}; {@code slab} may be null.
   */
  public SimulatedEndpoint(
      SimulatedNetwork network, int node, SimulatedSlab slab, int packetBytes) {
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

  /** The channel's error, or null. */
  public TomboloException failure() {
    return failure;
  }

  /** A packet that is not the peer's comes in {@code delayNs}. */
  public void hearStranger(byte[] packet, long delayNs) {
    network.at(network.nowNs() + delayNs, () -> whenItRuns(() -> onPacket(packet, false)));
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
    depart(bytes.length, () -> carry(() -> peer.whenItRuns(() -> peer.onPacket(bytes, marked))));
    return true;
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    if (!network.hasRoom()) {
      return false;
    }
    byte[] bytes = Arrays.copyOf(copyOf(header), header.limit() + sizeBytes);
    int from = header.limit();
    boolean marked = network.marks(node, peer.node);
    post(
        bytes.length,
        cookie,
        () -> {
          read(memory, offset, bytes, from, sizeBytes);
          carry(() -> peer.whenItRuns(() -> peer.onPacket(bytes, marked)));
        });
    return true;
  }

  @Override
  public boolean sendWrite(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie) {
    if (!network.hasRoom()) {
      return false;
    }
    post(
        sizeBytes,
        cookie,
        () -> {
          byte[] bytes = new byte[sizeBytes];
          read(memory, offset, bytes, 0, sizeBytes);
          carry(() -> peer.onWrite(immediate, remoteKey, remoteAddress, bytes));
        });
    return true;
  }

  private void post(int bytes, long cookie, Runnable onDeparture) {
    long departureNs = depart(bytes, onDeparture);
    network.at(
        network.completionNs(Math.max(departureNs, network.nowNs())),
        () ->
            whenItRuns(
                () -> {
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
    network.carry(node, peer.node, arrival);
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
    boolean landed = slab.write(address, key, payload);
    whenItRuns(() -> onWritten(immediate, landed));
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
