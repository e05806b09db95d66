// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A blocking all_reduce of a communicator of one rank: all that a call costs besides its bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlockingCallBench {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int ELEMENTS = 16;

  private TcpStoreServer store;
  private Communicator communicator;
  private Stream stream;
  private DeviceMemory memory;

  @Setup(Level.Trial)
  public void join() {
    JobToken token = JobToken.random();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    store = TcpStoreServer.start(any, token);
    communicator = Communicator.join(environment(store.address().getPort(), token));
    stream = communicator.device().newStream();
    memory = communicator.device().allocate(2L * ELEMENTS * Float.BYTES);
  }

  private static JobEnvironment environment(int port, JobToken token) {
    return new JobEnvironment(
        0,
        1,
        0,
        InetAddress.getLoopbackAddress().getHostAddress(),
        port,
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        LIMIT,
        ImmutableSortedMap.of());
  }

  @TearDown(Level.Trial)
  public void leave() {
    memory.close();
    stream.close();
    communicator.close();
    store.close();
  }

  @Benchmark
  public void allReduceAlone() {
    long send = memory.address();
    CollectiveCall call = CollectiveCall.allReduce(ELEMENTS, DataType.F32, ReduceOp.SUM, false);
    communicator
        .call(
            new PlacedCall(call, send, send + ELEMENTS * Float.BYTES), CallOptions.BLOCKING, stream)
        .await(LIMIT);
  }
}
