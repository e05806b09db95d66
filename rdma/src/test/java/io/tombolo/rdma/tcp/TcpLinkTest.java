// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.HostPinner;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.ScriptedSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** The stream of frames, sound and spoiled. */
public final class TcpLinkTest {
  private static final int SEED = 11;
  private static final SlotGeometry GEOMETRY = new SlotGeometry(3, 64);

  /** Two frames: three bytes of a message of five, then the other two. */
  private static final String FRAMES =
      "54424c53 0100 0000 0000000000000000 0900000000000000 0500000000000000 0000000000000000"
          + "03000000 0000000000000000000000000000000000000000 aabbcc"
          + "54424c53 0100 0000 0100000000000000 0900000000000000 0500000000000000 0300000000000000"
          + "02000000 0000000000000000000000000000000000000000 ddee";

  @Test
  public void shouldReadFramesWhenTheyComeInAnyPieces() {
    for (int cut = 0; cut <= frames().length; cut++) {
      ScriptedSocket first = new ScriptedSocket(Arrays.copyOf(frames(), cut));
      try (TcpLink link = new TcpLink(first, GEOMETRY, HostPinner.none())) {
        link.progress();
        assertEquals(link.arrived(), cut < 67 ? 0 : cut < 133 ? 1 : 2, "cut at " + cut);
      }
    }
  }

  @Test
  public void shouldReadNoMoreThanItHasSlotsFor() {
    byte[] empty = Arrays.copyOf(frames(), 64);
    ByteBuffer.wrap(empty).put(24, (byte) 0).put(40, (byte) 0);
    ByteBuffer many = ByteBuffer.allocate(64 * 10);
    while (many.hasRemaining()) {
      many.put(empty);
    }
    try (TcpLink link =
        new TcpLink(new ScriptedSocket(many.array()), GEOMETRY, HostPinner.none())) {
      link.progress();
      link.progress();
      assertEquals(link.arrived(), 3);
      link.release(0);
      link.progress();
      assertEquals(link.arrived(), 4);
    }
  }

  @Test
  public void shouldWriteTheFrameOfEachSlotPublished() {
    ScriptedSocket script = new ScriptedSocket(new byte[0]);
    try (TcpLink link = new TcpLink(script, GEOMETRY, HostPinner.none())) {
      byte[] frames = frames();
      link.out().view(0).put(0, frames, 0, 67);
      link.publish(0, 3);
      link.out().view(1).put(0, frames, 67, 66);
      link.publish(1, 2);
      assertEquals(link.handedOver(), 0);
      link.progress();
      assertEquals(script.written(), frames);
      assertEquals(link.handedOver(), 2);
      assertEquals(link.sentBytes(), 5);
    }
  }

  @Test
  public void shouldRefuseAFrameThatIsLongerThanASlot() {
    byte[] frames = frames();
    frames[40] = 65;
    frames[24] = 65;
    try (TcpLink link = new TcpLink(new ScriptedSocket(frames), GEOMETRY, HostPinner.none())) {
      expectThrows(CorruptException.class, link::progress);
    }
  }

  @Test
  public void shouldStayInBoundsWhenBytesAreSpoiled() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 10_000; i++) {
      byte[] frames = frames();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        frames[random.nextInt(frames.length)] = (byte) random.nextInt();
      }
      try (TcpLink link = new TcpLink(new ScriptedSocket(frames), GEOMETRY, HostPinner.none())) {
        link.progress();
        assertTrue(link.arrived() <= 3, "seed " + SEED + ", i=" + i);
      } catch (CorruptException expected) {
        assertTrue(expected.getMessage().startsWith("a slot"), "seed " + SEED + ", i=" + i);
      }
    }
  }

  private static byte[] frames() {
    return HexFormat.of().parseHex(FRAMES.replace(" ", ""));
  }
}
