// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import org.testng.annotations.Test;

/** Marks of routers on real sockets: read from the IP header, told to the sender, answered. */
public final class UdpMarksTest {
  private static final int MESSAGES = 20;

  /** In chunks. Without marks a window grows beyond it, unless a busy machine loses packets. */
  private static final int FIRST_WINDOW = 16;

  @Test
  public void shouldTellTheSenderOfEachMarkAndSlowDown() throws IOException {
    Carried unmarked = carry(0);
    Carried marked = carry(2);
    assertEquals(unmarked.seen, 0);
    assertEquals(unmarked.told, 0);
    assertTrue(marked.seen > 100, "marks seen: " + marked.seen);
    assertEquals(marked.seen, marked.made);
    assertTrue(marked.told >= marked.seen - 256, marked.told + " told of " + marked.seen);
    assertTrue(marked.window < FIRST_WINDOW, "window with marks: " + marked.window);
  }

  /** What became of marks, and the sender's window at the end. */
  private record Carried(long made, long seen, long told, int window) {}

  private static Carried carry(int every) throws IOException {
    try (RoutedPair pair = new RoutedPair();
        MarkingRouter router = new MarkingRouter(pair.high())) {
      pair.connect(router.address());
      UdpChannel from = pair.dialler();
      UdpChannel to = pair.listener();
      for (int message = 0; message < MESSAGES; message++) {
        pair.send(from, to);
      }
      pair.await(
          () -> router.progress(from.isOpen() && to.isOpen() ? every : 0),
          () -> router.progress(0));
      return new Carried(
          router.marked(),
          pair.high().counters().marked,
          from.counters().marks,
          from.protocol().windowChunks());
    }
  }
}
