// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.rdma.Liveness;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Dialling a peer that has several addresses, and how long one that is silent is kept. */
public final class TcpSocketTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  @Test
  public void shouldGoOnToTheNextAddressWhenOneRefuses() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Deadline deadline = Deadline.after(BUDGET);
      InetSocketAddress good = (InetSocketAddress) listener.getLocalSocketAddress();
      try (TcpSocket socket = TcpSocket.dialling(List.of(refusing(), good), deadline, BUDGET)) {
        while (!socket.finishConnect()) {
          assertTrue(!deadline.isExpired(), deadline.toString());
        }
      }
    }
  }

  @Test
  public void shouldNameTheAddressWhenTheLastOneRefuses() throws IOException {
    Deadline deadline = Deadline.after(BUDGET);
    InetSocketAddress last = refusing();
    try (TcpSocket socket = TcpSocket.dialling(List.of(last), deadline, BUDGET)) {
      IOException error =
          expectThrows(
              IOException.class,
              () -> {
                while (!socket.finishConnect()) {
                  assertTrue(!deadline.isExpired(), deadline.toString());
                }
              });
      assertTrue(error.getMessage().contains(String.valueOf(last.getPort())), error.getMessage());
    }
  }

  @DataProvider
  public Object[][] silences() {
    return new Object[][] {{2_000, 1, 1}, {10_000, 5, 2}, {600_000, 300, 100}};
  }

  /** Before that, nobody is given up: half of it, and three times a sixth, in whole seconds. */
  @Test(dataProvider = "silences", timeOut = 60_000)
  public void shouldKeepAnIdleConnectionForAsLong(int ms, int idle, int interval)
      throws IOException {
    assertEquals(Liveness.in(Map.of("liveness_ms", "" + ms)), Duration.ofMillis(ms));
    try (SocketChannel channel = SocketChannel.open();
        TcpSocket socket = TcpSocket.accepted(channel, Duration.ofMillis(ms))) {
      assertTrue(
          channel.getOption(StandardSocketOptions.SO_KEEPALIVE), "of " + socket.descriptor());
      assertEquals((int) channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE), idle);
      assertEquals((int) channel.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL), interval);
      assertEquals((int) channel.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT), 3);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldKeepAnIdleConnectionForGoodIfAsked() throws IOException {
    try (SocketChannel channel = SocketChannel.open();
        TcpSocket socket = TcpSocket.accepted(channel, Duration.ZERO)) {
      assertFalse(
          channel.getOption(StandardSocketOptions.SO_KEEPALIVE), "of " + socket.descriptor());
    }
  }

  /** What Java makes of ETIMEDOUT, EHOSTUNREACH and ECONNRESET. */
  @Test
  public void shouldSayOfAHostThatTheKernelGivesUpWhatWeSayOfOne() {
    for (String words : List.of("Connection timed out", "No route to host")) {
      IOException told = TcpSocket.told(new IOException(words), Duration.ofSeconds(7));
      assertTrue(told.getMessage().contains("answered nothing for 7000 ms"), told.toString());
    }
    IOException reset = new IOException("Connection reset");
    assertSame(TcpSocket.told(reset, BUDGET), reset);
  }

  /** An address where nobody listens any more. */
  private static InetSocketAddress refusing() throws IOException {
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return (InetSocketAddress) gone.getLocalSocketAddress();
    }
  }
}
