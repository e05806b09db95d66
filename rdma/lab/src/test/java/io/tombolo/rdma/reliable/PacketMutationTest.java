// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.lab.simulated.SimulatedMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/**
 * Packets of a real conversation, mutated and slipped in among the real ones: nothing but a clean
 * failure may come of it, and no byte outside the posted memory may change.
 */
public final class PacketMutationTest {
  private static final int CONVERSATIONS = 400;
  private static final int STEPS = 300;
  private static final int EDGE = 4096;
  private static final int MESSAGE_BYTES = 20_000;
  private static final int PACKET_BYTES = 2048;
  private static final int[] TELLING = {0, 1, -1, 63, 64, 255, 1 << 14, 1 << 21, Integer.MAX_VALUE};

  @Test
  public void shouldStaySaneWhateverBecomesOfPackets() {
    int finished = 0;
    int failed = 0;
    for (long seed = 0; seed < CONVERSATIONS; seed++) {
      try (Talk talk = new Talk(seed)) {
        finished += talk.run() ? 1 : 0;
      } catch (TomboloException expected) {
        failed++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    System.out.printf(
        "seeds 0 to %d, mutated packets: %d conversations finished, %d failed cleanly%n",
        CONVERSATIONS - 1, finished, failed);
    assertTrue(finished > 0 && failed > 0, "mutations do nothing, or too much");
  }

  /** Two ends in one thread; what one sends the other gets, and mutants of it. */
  private static final class Talk implements AutoCloseable {
    private final long seed;
    private final SplittableRandom random;
    private final SimulatedMemory source = new SimulatedMemory(MESSAGE_BYTES);
    private final SimulatedMemory target = new SimulatedMemory(2L * EDGE + MESSAGE_BYTES);
    private final NativeMemory scratch = NativeMemory.allocate(PACKET_BYTES);
    private final Pipe toHigh = new Pipe();
    private final Pipe toLow = new Pipe();
    private final ReliableChannel low;
    private final ReliableChannel high;
    private final List<byte[]> corpus = new ArrayList<>();
    private final Count count = new Count();

    Talk(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
      ProtocolConfig config =
          ProtocolConfig.of(ProtocolConfig.Shape.DATAGRAM, 1024).toBuilder().window(64, 4).build();
      low = new ReliableChannel(new ChannelId(1, 7, 42), config, toHigh, null, 0);
      high = new ReliableChannel(new ChannelId(0, 7, 42), config, toLow, null, 0);
    }

    /** Whether all arrived. */
    boolean run() {
      for (int i = 0; i < 3; i++) {
        low.send(i, source, 0, MESSAGE_BYTES);
        high.receive(i, target, EDGE, MESSAGE_BYTES);
      }
      try {
        for (int step = 0; step < STEPS && count.received < 3; step++) {
          long nowNs = step * 50_000L;
          low.poll(nowNs, count);
          high.poll(nowNs, count);
          toHigh.deliver(high, low, nowNs);
          toLow.deliver(low, high, nowNs);
        }
        return count.received == 3;
      } finally {
        check();
      }
    }

    private void check() {
      for (long edge : new long[] {0, EDGE + (long) MESSAGE_BYTES}) {
        for (byte b : target.bytes().get(edge, EDGE)) {
          assertEquals(b, 0, "seed " + seed + " wrote outside");
        }
      }
      assertTrue(low.windowChunks() >= 1, "seed " + seed);
      assertTrue(high.counters().payloadBytesReceived >= 0, "seed " + seed);
    }

    private byte[] mutated(byte[] packet) {
      byte[] bytes =
          random.nextInt(5) == 0
              ? corpus.get(random.nextInt(corpus.size())).clone()
              : packet.clone();
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        switch (random.nextInt(4)) {
          case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
          case 1 -> bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
          case 2 -> putTelling(bytes);
          default -> bytes = Arrays.copyOf(bytes, random.nextInt(1, bytes.length + 9));
        }
      }
      if (bytes.length >= PacketCodec.HEADER_BYTES && random.nextBoolean()) {
        wrap(bytes)
            .putInt(12, bytes.length - PacketCodec.HEADER_BYTES); // so that more gets through
      }
      return bytes;
    }

    private void putTelling(byte[] bytes) {
      if (bytes.length >= Integer.BYTES) {
        int at = random.nextInt(bytes.length / Integer.BYTES) * Integer.BYTES;
        wrap(bytes).putInt(at, TELLING[random.nextInt(TELLING.length)]);
      }
    }

    private static ByteBuffer wrap(byte[] bytes) {
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() {
      source.close();
      target.close();
      scratch.close();
    }

    /** One direction. */
    private final class Pipe implements PacketSender {
      private final ArrayDeque<byte[]> packets = new ArrayDeque<>();
      private final ArrayDeque<Long> posted = new ArrayDeque<>();

      @Override
      public boolean sendControl(ByteBuffer packet) {
        byte[] bytes = new byte[packet.remaining()];
        packet.duplicate().get(bytes);
        packets.add(bytes);
        return true;
      }

      @Override
      public boolean sendDatagram(
          ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
        byte[] bytes = new byte[header.remaining() + sizeBytes];
        header.duplicate().get(bytes, 0, header.remaining());
        packets.add(bytes);
        posted.add(cookie);
        return true;
      }

      @Override
      public boolean sendAgain(
          int immediate,
          int key,
          long to,
          LocalMemory memory,
          long at,
          int size,
          long cookie,
          long untilNs) {
        throw new AssertionError("datagrams only");
      }

      void deliver(ReliableChannel to, ReliableChannel from, long nowNs) {
        while (!posted.isEmpty()) {
          from.onPosted(posted.remove());
        }
        while (!packets.isEmpty()) {
          byte[] packet = packets.remove();
          corpus.add(packet);
          if (random.nextInt(3) == 0) {
            feed(to, mutated(packet), nowNs);
          }
          if (random.nextInt(20) != 0) {
            feed(to, packet, nowNs);
          }
        }
      }

      private void feed(ReliableChannel to, byte[] bytes, long nowNs) {
        int length = Math.min(bytes.length, PACKET_BYTES);
        scratch.put(0, bytes, 0, length);
        to.onPacket(scratch.view(0, length), scratch.address(), nowNs);
      }
    }
  }
}
