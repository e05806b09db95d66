// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.NativeMemory;
import io.tombolo.store.memory.Checksum;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
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
