// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Known failures, most of them of {@link KnownFailuresTest}, each put back where it would be. */
final class Mutants {
  private Mutants() {}

  /** All of them, by what they do. */
  static Map<String, Mutant> all() {
    Map<String, Mutant> all = new LinkedHashMap<>();
    all.put("1 bit origin of the SACK differs by one", wire(SackOffByOne::new));
    all.put("2 a filled hole advances by one only", parts(new AdvancesByOne()));
    all.put("3 RTT is the difference of two clocks", parts(new TwoClocks()));
    all.put("4 a full window drops the oldest", parts(new DropsOldest()));
    all.put("5 length in 16 bits", wire(ShortLengths::new));
    all.put("6 a resent payload is never placed", wire(ResendsNothing::new));
    all.put("7 receive memory without bound", new UnboundedSlab());
    all.put("8 completions are thrown away when resending", wire(LosesCompletions::new));
    all.put("9 sequence numbers break at wrap-around", parts(new NoWrap()));
    all.put("10 a lost tail is never repaired", parts(new NoTimers()));
    all.put("11 a send completes on its local completion", parts(new CompletesLocally()));
    all.put("12 the first fragment acknowledges the message", parts(new WholeMessage()));
    all.put("13 clear-to-send is sent once", saidOnce(PacketCodec.GRANT));
    all.put("14 a slab slot keeps its key", new StaleKeys());
    all.put("15 a key comes back while packets live", new HastyKeys());
    all.put("16 a clear-to-send is asked for once", saidOnce(PacketCodec.REQUEST));
    return all;
  }

  private interface WireMutant {
    PacketSender over(PacketSender wire);
  }

  private static Mutant wire(WireMutant mutant) {
    return new Mutant() {
      @Override
      PacketSender wire(SimulatedEndpoint endpoint) {
        return mutant.over(endpoint);
      }
    };
  }

  /** What packets of {@code type} say they say once. */
  static Mutant saidOnce(byte type) {
    return wire(wire -> new SaidOnce(wire, type));
  }

  private static Mutant parts(ProtocolParts parts) {
    return new Mutant() {
      @Override
      ProtocolParts parts() {
        return parts;
      }
    };
  }

  private static final class SackOffByOne extends PacketTamper {
    SackOffByOne(PacketSender wire) {
      super(wire);
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      if (type(packet) == PacketCodec.ACK) {
        int base = PacketCodec.HEADER_BYTES + 4;
        packet.putInt(base, packet.getInt(base) - 1);
      }
      return super.sendControl(packet);
    }
  }

  private static final class AdvancesByOne extends ProtocolParts {
    @Override
    ReceiveWindow receiveWindow(ProtocolConfig config) {
      return new ReceiveWindow(config.windowChunks(), config.firstPsn()) {
        private boolean isNext;

        @Override
        void accept(long psn) {
          isNext = psn == next();
          super.accept(psn);
        }

        @Override
        void advance() {
          if (isNext && isNextHere()) {
            pass();
          }
        }
      };
    }
  }

  private static final class TwoClocks extends ProtocolParts {
    @Override
    RttEstimator rttEstimator(ProtocolConfig config) {
      return new RttEstimator(config.minRtoNs(), config.maxAckDelayNs()) {
        @Override
        void sample(long rttNs) {
          super.sample(rttNs + 60_000_000_000L);
        }
      };
    }
  }

  private static final class DropsOldest extends ProtocolParts {
    @Override
    SendWindow sendWindow(ProtocolConfig config) {
      return new SendWindow(config.windowChunks(), config.firstPsn()) {
        @Override
        boolean isFull(long spanChunks) {
          if (super.isFull(spanChunks)) {
            segment(oldest()).message.unackedChunks--;
            acknowledge(oldest());
          }
          return false;
        }
      };
    }
  }

  private static final class ShortLengths extends PacketTamper {
    ShortLengths(PacketSender wire) {
      super(wire);
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      if (type(packet) == PacketCodec.GRANT) {
        packet.putLong(56, packet.getLong(56) & 0xFFFF);
      }
      return super.sendControl(packet);
    }
  }

  private static final class ResendsNothing extends PacketTamper {
    ResendsNothing(PacketSender wire) {
      super(wire);
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      boolean resent = header.get(7) != 0;
      return super.sendDatagram(header, memory, resent ? 0 : offset, sizeBytes, cookie);
    }

    @Override
    public boolean sendAgain(
        int immediate,
        int key,
        long address,
        LocalMemory memory,
        long offset,
        int size,
        long id,
        long untilNs) {
      boolean resent = Immediate.attempt(immediate) != 0;
      int sent = resent ? 0 : size;
      return super.sendAgain(immediate, key, address, memory, offset, sent, id, untilNs);
    }
  }

  private static final class UnboundedSlab extends Mutant {
    @Override
    int slots(int allowed) {
      return 16 * allowed;
    }
  }

  private static final class LosesCompletions extends PacketTamper {
    private static final long NOBODY = 1;

    LosesCompletions(PacketSender wire) {
      super(wire);
    }

    @Override
    public boolean sendDatagram(
        ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
      long told = header.get(7) == 0 ? cookie : cookie + NOBODY;
      return super.sendDatagram(header, memory, offset, sizeBytes, told);
    }

    @Override
    public boolean sendAgain(
        int immediate,
        int key,
        long address,
        LocalMemory memory,
        long offset,
        int size,
        long id,
        long untilNs) {
      long told = Immediate.attempt(immediate) == 0 ? id : id + NOBODY;
      return super.sendAgain(immediate, key, address, memory, offset, size, told, untilNs);
    }
  }

  private static final class NoWrap extends ProtocolParts {
    @Override
    PsnSpace psnSpace() {
      return new PsnSpace() {
        @Override
        long unwrap(long reference, int wire, int bits) {
          return Integer.toUnsignedLong(wire);
        }
      };
    }
  }

  private static final class NoTimers extends ProtocolParts {
    @Override
    RttEstimator rttEstimator(ProtocolConfig config) {
      return new RttEstimator(config.minRtoNs(), config.maxAckDelayNs()) {
        @Override
        long rtoNs() {
          return 3600_000_000_000L;
        }

        @Override
        long srttNs() {
          return 3600_000_000_000L;
        }
      };
    }
  }

  private static final class CompletesLocally extends ProtocolParts {
    private final IdentityHashMap<OutgoingMessage, Long> lastPosted = new IdentityHashMap<>();

    @Override
    SendWindow sendWindow(ProtocolConfig config) {
      return new SendWindow(config.windowChunks(), config.firstPsn()) {
        @Override
        long append(OutgoingSegment segment, long nowNs) {
          long end = segment.chunkOffset(next() + 1, config.chunkBytes());
          if (segment.grant.isLastOfMessage() && end >= segment.grant.sizeBytes) {
            lastPosted.put(segment.message, segment.message.index);
          }
          return super.append(segment, nowNs);
        }
      };
    }

    @Override
    boolean isReleasable(OutgoingMessage message) {
      return message.openPosts == 0 && lastPosted.getOrDefault(message, -1L) == message.index;
    }
  }

  private static final class WholeMessage extends ProtocolParts {
    @Override
    SendWindow sendWindow(ProtocolConfig config) {
      return new SendWindow(config.windowChunks(), config.firstPsn()) {
        @Override
        boolean acknowledge(long psn) {
          boolean news = super.acknowledge(psn);
          if (news) {
            acknowledgeRest(segment(psn).message);
          }
          return news;
        }

        private void acknowledgeRest(OutgoingMessage message) {
          for (long psn = oldest(); psn < next(); psn++) {
            if (isOpen(psn) && segment(psn).message == message && super.acknowledge(psn)) {
              message.unackedChunks--;
            }
          }
        }
      };
    }
  }

  /** Of packets of one type, what is said again gets lost. */
  private static final class SaidOnce extends PacketTamper {
    private final byte said;
    private final Set<Integer> numbers = new HashSet<>();

    SaidOnce(PacketSender wire, byte said) {
      super(wire);
      this.said = said;
    }

    @Override
    public boolean sendControl(ByteBuffer packet) {
      return (type(packet) == said && !numbers.add(packet.getInt(PacketCodec.HEADER_BYTES)))
          || super.sendControl(packet);
    }
  }

  private static final class HastyKeys extends Mutant {
    @Override
    int tagBits() {
      return 1;
    }

    @Override
    long packetLifeNs() {
      return 0;
    }
  }

  private static final class StaleKeys extends Mutant {
    @Override
    SlabPool pool(SimulatedSlab slab, int slots, long slotBytes) {
      Map<Integer, Long> keys = new HashMap<>();
      return new SlabPool(
          slots,
          slotBytes,
          slab.pool().hostAddress(0),
          0,
          0,
          slot -> keys.containsKey(slot) ? keys.get(slot) : firstKey(slab, slot, keys));
    }

    private static long firstKey(SimulatedSlab slab, int slot, Map<Integer, Long> keys) {
      long key = slab.renew(slot);
      if (key >= 0) {
        keys.put(slot, key);
      }
      return key;
    }
  }
}
