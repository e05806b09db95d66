// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A request of the store's protocol, written and read: SET of a short key and 256 bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StoreWireBench {
  private static final String KEY = "tombolo/roll/17";

  private final byte[] value = new byte[256];
  private final RequestDecoder decoder = new RequestDecoder();
  private final ByteBuffer received = ByteBuffer.wrap(set(value)).order(ByteOrder.LITTLE_ENDIAN);

  @Benchmark
  public byte[] write() {
    return set(value);
  }

  @Benchmark
  public Optional<Request> read() {
    return decoder.next(received.rewind());
  }

  private static byte[] set(byte[] value) {
    return new WireWriter().u8(StoreProtocol.SET).key(KEY).bytes(value).toBytes();
  }
}
