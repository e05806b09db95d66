// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What a Java program sees of buffers, works and ways in, in a job of one rank. */
public class CommunicatorApiTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private TcpStoreServer store;
  private Communicator all;

  @BeforeMethod
  public void join() {
    JobToken token = JobToken.random();
    store = TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
    all =
        Communicator.builder()
            .environment(Map.of("TOMBOLO_STORE", "tombolo"))
            .rank(0, 1, 0)
            .store("127.0.0.1", store.address().getPort())
            .token(token.hex())
            .vendor("host")
            .timeout(LONG)
            .join();
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    all.close();
    store.close();
  }

  @Test(timeOut = 60_000)
  public void shouldJoinAsTheBuilderSays() {
    assertEquals(all.timeout(), LONG);
    assertEquals(all.size(), 1);
  }

  @Test(timeOut = 60_000)
  public void shouldCarryArraysToTheDeviceAndBack() {
    try (DeviceVector vector = DeviceVector.of(all, 1, 2, 3)) {
      all.allReduce(vector.buffer(), Reduction.sum(), vector.stream()).await();
      assertEquals(vector.floats(), new float[] {1, 2, 3});
      expectThrows(UsageException.class, () -> vector.put(new float[2]));
      ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
      vector.put(bytes.putFloat(7).putFloat(8).putFloat(9).flip());
      assertEquals(vector.bytes(), bytes.rewind());
      expectThrows(UsageException.class, () -> vector.put(bytes.limit(11).rewind()));
    }
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseBuffersThatDoNotFitTheOperation() {
    try (DeviceMemory memory = all.device().allocate(64);
        Stream stream = all.device().newStream()) {
      DeviceBuffer whole = DeviceBuffer.of(all.device(), memory, DataType.F32);
      DeviceBuffer other = DeviceBuffer.of(all.device(), memory, DataType.I32);
      refuses("of two types", () -> all.allReduce(whole, other, Reduction.sum(), stream));
      refuses(
          "writes 16 elements, and the buffer has 15",
          () -> all.allReduce(whole, whole.slice(0, 15), Reduction.sum(), stream));
      refuses(
          "reads 17 elements, and the buffer has 16",
          () -> all.allGather(whole, whole, new Layout.Even(17), stream));
      refuses("counts", () -> DeviceBuffer.foreign(all.device(), 8, Long.MAX_VALUE, DataType.F64));
      DeviceBuffer none = DeviceBuffer.none(all.device(), DataType.F32);
      refuses("has 0", () -> all.broadcast(none, whole, 0, stream));
    }
  }

  private static void refuses(String why, Runnable call) {
    String message = expectThrows(UsageException.class, call::run).getMessage();
    assertTrue(message.contains(why), message);
  }

  @Test(timeOut = 60_000)
  public void shouldCallBackElsewhereWhenAWorkHasEnded() throws Exception {
    try (DeviceVector vector = DeviceVector.of(all, 1)) {
      Work work = all.allReduce(vector.buffer(), Reduction.sum(), vector.stream());
      Thread[] caller = new Thread[1];
      Work told =
          work.completion()
              .thenApply(
                  ended -> {
                    caller[0] = Thread.currentThread();
                    return ended;
                  })
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      assertSame(told, work);
      assertTrue(!caller[0].getName().contains("tombolo"), caller[0].getName());
      assertSame(work.completion().toCompletableFuture().get(30, TimeUnit.SECONDS), work);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldCallBackWithTheErrorOfAWork() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    try (DeviceMemory memory = all.device().allocate(4);
        NativeMemory word = NativeMemory.allocate(Long.BYTES);
        Stream held = all.device().newStream()) {
      LongCell gate = word.cell(0);
      all.device().waitValueAsync(held, word.address(), 1);
      DeviceBuffer one = DeviceBuffer.of(all.device(), memory, DataType.F32);
      Work work =
          all.call(
              all.calls().allReduce(one, one, Reduction.sum()),
              CallOptions.STANDARD.withoutStreamWait(),
              held);
      Throwable[] told = new Throwable[1];
      work.completion()
          .whenComplete(
              (ended, error) -> {
                told[0] = error instanceof CompletionException ? error.getCause() : error;
                end.countDown();
              });
      all.abort();
      assertTrue(end.await(30, TimeUnit.SECONDS));
      assertTrue(told[0] instanceof AbortedException, String.valueOf(told[0]));
      gate.setRelease(1);
    }
  }
}
