// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.faulty.FaultyWire;
import io.tombolo.rdma.reliable.PacketSender;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongConsumer;

/** What the protocol of one link sends through: the port's packets, behind faults if wanted. */
final class LinkWire implements AutoCloseable {
  private final Optional<FaultyWire> faulty;
  private final PacketSender sender;

  /**
   * The wire of {@code link}.
   *
   * @param onPosted told of each chunk that the faults have taken a copy of, from inside {@link
   *     #progress}
   */
  LinkWire(
      LossyLink link,
      LossyPort port,
      Optional<Faults> faults,
      Ticker ticker,
      LongConsumer onPosted) {
    PacketSender packets = new Packets(link, port.outgoing());
    int packetBytes = port.sizing().outgoingBytes();
    faulty = faults.map(f -> new FaultyWire(packets, f, packetBytes, ticker, onPosted));
    sender = faulty.isPresent() ? faulty.get() : packets;
  }

  PacketSender sender() {
    return sender;
  }

  /** Passes on what the faults have held back long enough; how many packets. */
  int progress() {
    return faulty.isPresent() ? faulty.get().progress() : 0;
  }

  /** Whether faults may hold packets back. */
  boolean isFaulty() {
    return faulty.isPresent();
  }

  /** Whether no copy touches its memory. */
  boolean isQuiet() {
    return faulty.isEmpty() || faulty.get().isQuiet();
  }

  /** Drops what is held back; no copy may be under way. */
  @Override
  public void close() {
    faulty.ifPresent(FaultyWire::close);
  }

  private record Packets(LossyLink link, Outgoing outgoing) implements PacketSender {
    @Override
    public boolean sendControl(ByteBuffer packet) {
      return outgoing.packet(link, packet);
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      return outgoing.datagram(link, header, memory, offset, sizeBytes, cookie);
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
      return link.isOver() // and the memory its owner's again, who waits for no word of this
          || outgoing.write(
              link,
              immediate,
              remoteKey,
              remoteAddress,
              memory,
              offset,
              sizeBytes,
              cookie,
              untilNs);
    }
  }
}
