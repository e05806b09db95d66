// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Packets of the reliable protocol, written and read. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PacketCodecBench {
  private static final int WINDOW = 256;
  private static final int LOST_EVERY = 3;
  private static final int MTU = 1500;
  private static final long MAX_ACK_DELAY_NS = 100_000;

  private final ChannelId id = new ChannelId(1, 2, 3);
  private final ReceiveWindow window = new ReceiveWindow(WINDOW, 0);
  private final AckScheduler echo = new AckScheduler(4, MAX_ACK_DELAY_NS, 0);
  private final ByteBuffer ack = PacketCodec.newBuffer(MTU);
  private final ByteBuffer received = PacketCodec.newBuffer(MTU);
  private final ByteBuffer header = PacketCodec.newBuffer(MTU);
  private final Grant scratch = new Grant();
  private long psn;

  /** The window after every third packet was lost. */
  @Setup
  public void lose() {
    for (int i = 0; i < WINDOW; i++) {
      if (i % LOST_EVERY != 0) {
        window.accept(i);
        echo.onArrival(i, 0, false, false, i);
      }
    }
    PacketCodec.ack(received, id, window, echo, WINDOW);
  }

  /** The 20 bytes before a payload. */
  @Benchmark
  public ByteBuffer writeData() {
    return PacketCodec.data(header, id, 0, psn++, MTU - PacketCodec.DATA_HEADER_BYTES);
  }

  /** An acknowledgement with four words of a SACK bitmap. */
  @Benchmark
  public ByteBuffer writeAck() {
    return PacketCodec.ack(ack, id, window, echo, WINDOW);
  }

  /** The same one, and each packet that its bitmap names. */
  @Benchmark
  public boolean readAck(Blackhole blackhole) {
    return PacketCodec.decode(received, id, scratch, new AckReader(blackhole));
  }
}
