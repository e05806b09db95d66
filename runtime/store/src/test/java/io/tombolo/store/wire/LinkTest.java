// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.TestSeed;
import io.tombolo.store.memory.Checksum;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Both ends of a connection. */
public class LinkTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** More than sockets hold. */
  private static final int MANY = 32 << 20;

  private Link sender;
  private Link receiver;

  @BeforeMethod
  public void connect() throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort)) {
      sender = Link.connect((InetSocketAddress) listener.getLocalAddress(), LONG);
      receiver = Link.accepted(listener.accept(), LONG);
    }
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    sender.close();
    receiver.close();
  }

  /** What is sent at a time may be a byte, or more than is received at a time. */
  @Test(timeOut = 120_000)
  public void shouldSumUpWhatComesInWhateverPieces() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 40; round++) {
      byte[] bytes = new byte[1 + random.nextInt(1 << random.nextInt(1, 23))];
      random.nextBytes(bytes);
      List<Integer> ends = new ArrayList<>();
      for (int piece = random.nextInt(8); piece > 0; piece--) {
        ends.add(random.nextInt(bytes.length));
      }
      Collections.sort(ends);
      ends.add(bytes.length);
      FutureTask<Void> sending =
          new FutureTask<>(
              () -> {
                int from = 0;
                for (int end : ends) {
                  sender.send(ByteBuffer.wrap(bytes, from, end - from));
                  from = end;
                }
                return null;
              });
      new Thread(sending, "sends").start();
      String where = "-Dtombolo.seed=" + seed + ", round " + round + ": " + ends;
      try (NativeMemory memory = NativeMemory.allocate(bytes.length)) {
        Checksum arrived = new Checksum();
        receiver.receive(memory.address(), bytes.length, arrived);
        byte[] got = new byte[bytes.length];
        memory.view(0, bytes.length).get(got);
        assertEquals(got, bytes, where);
        assertEquals(
            arrived.value(), Checksum.of(memory.address(), bytes.length), "sum of " + where);
      }
      sending.get(60, TimeUnit.SECONDS);
    }
  }

  /** An interrupt is there before, and another comes while nothing more fits into the sockets. */
  @Test(timeOut = 120_000)
  public void shouldSendAllWhateverInterrupts() throws Exception {
    ByteBuffer bytes = ByteBuffer.allocateDirect(MANY);
    for (int at = 0; at < MANY; at += Integer.BYTES) {
      bytes.putInt(at, at);
    }
    FutureTask<Boolean> sending =
        new FutureTask<>(
            () -> {
              Thread.currentThread().interrupt();
              sender.sendThroughInterrupts(bytes.duplicate());
              return Thread.interrupted();
            });
    Thread thread = new Thread(sending, "sends");
    thread.start();
    try (NativeMemory memory = NativeMemory.allocate(MANY)) {
      Checksum arrived = new Checksum();
      receiver.receive(memory.address(), MANY / 4, arrived);
      thread.interrupt();
      receiver.receive(memory.address(), MANY - MANY / 4, arrived);
      Checksum sent = new Checksum();
      sent.add(bytes);
      assertEquals(arrived.value(), sent.value());
    }
    assertTrue(sending.get(60, TimeUnit.SECONDS), "the interrupt was lost");
  }
}
