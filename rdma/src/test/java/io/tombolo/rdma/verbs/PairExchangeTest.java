// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.primitives.ImmutableIntArray;
import java.io.EOFException;
import java.io.IOException;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** Two ends that show each other their cards, one of which leaves. */
public final class PairExchangeTest {
  private static final int PSN = 7;

  private NicPort nic;

  @BeforeClass
  public void open() {
    nic = Devices.openIn(0, 0);
  }

  @AfterClass(alwaysRun = true)
  public void close() {
    nic.close();
  }

  private PairCard card() {
    ImmutableIntArray pairs = ImmutableIntArray.of(1);
    return new PairCard(nic.card(), pairs, PSN, 0, 0, 0, false, false, 0);
  }

  /** It was ready before, sends its last message on our word, and needs no more of ours. */
  @Test
  public void shouldBeDoneWithAPeerThatLeavesOnItsLastWord() throws IOException {
    CardStream[] sockets = CardStream.pair(true);
    PairExchange ours = afterThePeersWord(sockets);
    sockets[1].closeAfter(PairCard.SIZE_BYTES + 1);
    ours.ready();
    assertEquals(ours.progress(), 1);
    assertTrue(ours.isDone());
    assertTrue(ours.isPeerGone());
  }

  /** It has no message for us: it sends none before our word. */
  @Test
  public void shouldNoticeThatAPeerLeavesBeforeOurWord() throws IOException {
    CardStream[] sockets = CardStream.pair(true);
    PairExchange ours = afterThePeersWord(sockets);
    sockets[1].close();
    assertFalse(ours.isDone());
    String text = expectThrows(EOFException.class, ours::progress).getMessage();
    assertTrue(text.contains("closed the connection before it was ready"), text);
  }

  /** Our end, which has heard that the peer is connected, and is not. */
  private PairExchange afterThePeersWord(CardStream[] sockets) throws IOException {
    PairExchange ours = new PairExchange(sockets[0], card());
    PairExchange peers = new PairExchange(sockets[1], card());
    ours.progress();
    peers.progress();
    peers.ready();
    peers.progress();
    ours.progress();
    ours.progress();
    assertTrue(ours.peer().isPresent());
    assertEquals(sockets[0].unread(), 0);
    return ours;
  }
}
