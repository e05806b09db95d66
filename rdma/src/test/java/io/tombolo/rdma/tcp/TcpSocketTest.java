// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.Test;

/** Dialling a peer that has several addresses. */
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

  /** An address where nobody listens any more. */
  private static InetSocketAddress refusing() throws IOException {
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return (InetSocketAddress) gone.getLocalSocketAddress();
    }
  }
}
