// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.Joined;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** The shared segment, with a peer that writes what it likes into it. */
public final class ShmLinkTest {
  private static final ShmLayout LAYOUT = new ShmLayout(new SlotGeometry(3, 64));
  private static final int BAD_MESSAGE = 74;
  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<String> pinned = new ArrayList<>();
  private ShmMedium medium;
  private UnixSocket peer;
  private ShmLink link;

  @BeforeMethod
  public void connect() throws IOException {
    pinned.clear();
    medium = ShmMedium.open(this::pin);
    peer = (UnixSocket) medium.dial(medium.address(), Deadline.after(SOON));
    assertTrue(peer.finishConnect());
    UnixSocket socket = (UnixSocket) medium.accept().orElseThrow();
    link = (ShmLink) medium.link(new Joined(0, 1, socket, LAYOUT.geometry(), false));
  }

  private HostPinner.Pin pin(long address, long sizeBytes) {
    pinned.add("pin " + sizeBytes);
    return () -> pinned.add("unpin");
  }

  @AfterMethod
  public void close() throws IOException {
    link.close();
    peer.close();
    medium.close();
  }

  @Test
  public void shouldPinTheWholeSegmentWhileItIsMapped() throws IOException {
    try (NativeMemory segment = pass(LAYOUT.sizeBytes())) {
      assertFalse(link.isReady());
      assertEquals(link.progress(), 1);
      assertTrue(link.isReady());
      link.close();
      assertEquals(pinned, List.of("pin " + segment.sizeBytes(), "unpin"));
    }
  }

  @Test
  public void shouldRefuseASegmentOfAnotherSize() throws IOException {
    try (NativeMemory segment = pass(LAYOUT.sizeBytes() - 1)) {
      FabricException error = expectThrows(FabricException.class, link::progress);
      assertEquals(error.rawCode(), BAD_MESSAGE);
      assertEquals(pinned, List.of());
    }
  }

  @Test
  public void shouldRefuseAByteThatBringsNoSegment() throws IOException {
    peer.write(ByteBuffer.wrap(new byte[1]));
    FabricException error = expectThrows(FabricException.class, link::progress);
    assertEquals(error.rawCode(), BAD_MESSAGE);
  }

  @Test
  public void shouldRefuseWordsThatCannotBe() throws IOException {
    try (NativeMemory segment = pass(LAYOUT.sizeBytes())) {
      link.progress();
      for (long word : new long[] {-1, 4, Long.MIN_VALUE, Long.MAX_VALUE}) {
        segment.cell(LAYOUT.published(true)).setRelease(word);
        expectThrows(CorruptException.class, link::arrived);
      }
      for (long word : new long[] {-1, 1, Long.MAX_VALUE}) {
        segment.cell(LAYOUT.released(false)).setRelease(word);
        expectThrows(CorruptException.class, link::claimable);
      }
    }
  }

  @Test
  public void shouldKeepWordsWhereTheLayoutSaysTheyAre() throws IOException {
    assertEquals(LAYOUT.sizeBytes(), 4096 + 2 * 3 * (64 + 64));
    try (NativeMemory segment = pass(LAYOUT.sizeBytes())) {
      link.progress();
      segment.cell(64).setRelease(2);
      assertEquals(link.arrived(), 2);
      link.release(0);
      assertEquals(segment.cell(128).getAcquire(), 1);
      link.out().view(0).put(0, (byte) 42);
      link.publish(0, 5);
      assertEquals(segment.cell(192).getAcquire(), 1);
      assertEquals(segment.get(4096 + 3 * 128, 1), new byte[] {42});
      segment.cell(256).setRelease(1);
      assertEquals(link.claimable(), 4);
      assertEquals(link.sentBytes(), 5);
      assertEquals(segment.cell(320).getAcquire(), 0, "the dialler has not said so");
      assertEquals(segment.cell(384).getAcquire(), 2, "one reads its own memory");
      assertEquals(link.handedOver(), 1);
    }
  }

  /** What a peer says of its memory is tried, and no more than that. */
  @Test
  public void shouldRefuseAPayloadAtAnAddressWhereNothingIs() throws IOException {
    try (NativeMemory segment = pass(LAYOUT.sizeBytes());
        TestMemory target = new TestMemory(64, 0, 0).plain()) {
      link.progress();
      segment.view(4096 + 44, 4).putInt(0, 1);
      segment.view(4096 + 48, 8).putLong(0, 4096);
      segment.cell(64).setRelease(2);
      assertTrue(link.isLent(0));
      assertFalse(link.fetch(0, target, 0, 64, 0));
      assertEquals(segment.cell(448).getAcquire(), 1);
      assertEquals(link.arrived(), 0);
      segment.view(4096 + 44, 4).putInt(0, 0);
      segment.cell(64).setRelease(1); // it was taken back, and is published anew
      segment.cell(512).setRelease(1);
      assertEquals(link.arrived(), 1);
      assertFalse(link.isLent(0));
      segment.view(4096 + 44, 4).putInt(0, 1);
      expectThrows(CorruptException.class, () -> link.fetch(0, target, 0, 64, 0));
    }
  }

  /** Once for a message: what was read before counts only if that is found. */
  @Test
  public void shouldLookForThePeerBehindTheLastPayloadOfAMessage() throws IOException {
    try (NativeMemory segment = pass(LAYOUT.sizeBytes());
        TestMemory source = new TestMemory(64, 0, 0).fill(1).plain();
        TestMemory target = new TestMemory(64, 0, 0).plain()) {
      link.progress();
      segment.view(4096 + 44, 4).putInt(0, 1);
      segment.view(4096 + 48, 8).putLong(0, source.plainAddress());
      segment.cell(64).setRelease(1);
      assertTrue(link.fetch(0, target, 0, 64, 0));
      assertEquals(target.get(0, 64), source.get(0, 64));
      peer.close();
      assertTrue(link.fetch(0, target, 0, 64, LentSlots.LEAST_BYTES));
      assertEquals(link.arrived(), 1);
      assertFalse(link.fetch(0, target, 0, 64, LentSlots.LEAST_BYTES - 1));
      assertEquals(link.arrived(), 0);
      assertEquals(segment.cell(448).getAcquire(), 0, "it could be read");
    }
  }

  /** Slots that were taken back are given to the peer anew, and count once. */
  @Test
  public void shouldTakeBackWhatThePeerRefuses() throws IOException {
    int size = LentSlots.LEAST_BYTES;
    try (NativeMemory segment = pass(LAYOUT.sizeBytes());
        TestMemory source = new TestMemory(size, 0, 0).plain()) {
      link.progress();
      segment.cell(320).setRelease(2);
      link.publish(0, 64);
      assertEquals(link.borrow(1, source, 0, size), size);
      link.publish(1, size);
      link.publish(2, 10);
      assertEquals(link.refused(), -1);
      segment.cell(576).setRelease(3);
      expectThrows(CorruptException.class, link::refused); // it is not lent
      segment.cell(576).setRelease(2);
      assertEquals(link.refused(), 1);
      assertEquals(link.handedOver(), 1);
      assertEquals(link.takeBack(1, 3, size + 10), size);
      assertEquals(segment.cell(192).getAcquire(), 1);
      assertEquals(segment.cell(640).getAcquire(), 2);
      assertEquals(link.sentBytes(), 64);
      assertEquals(link.refused(), -1);
      assertEquals(link.borrow(1, source, 0, size), 0);
      link.publish(1, 64);
      assertEquals(link.handedOver(), 2);
    }
  }

  /** Memory of a device is no place that a processor copies to. */
  @Test
  public void shouldReadNothingForADevice() throws IOException {
    HostPinner device = new OfDevice();
    UnixSocket other = (UnixSocket) medium.dial(medium.address(), Deadline.after(SOON));
    assertTrue(other.finishConnect());
    UnixSocket socket = (UnixSocket) medium.accept().orElseThrow();
    ShmLink reader = new ShmLink(socket, LAYOUT, device, false);
    try (NativeMemory segment = pass(other, LAYOUT.sizeBytes());
        TestMemory target = new TestMemory(64, 0, 0).plain()) {
      reader.progress();
      assertEquals(segment.cell(384).getAcquire(), 0);
      segment.view(4096 + 44, 4).putInt(0, 1);
      segment.view(4096 + 48, 8).putLong(0, target.plainAddress());
      segment.cell(64).setRelease(1);
      expectThrows(CorruptException.class, () -> reader.fetch(0, target, 0, 64, 0));
    } finally {
      reader.close();
      other.close();
    }
  }

  private static final class OfDevice implements HostPinner {
    @Override
    public Pin pin(long address, long sizeBytes) {
      return () -> {};
    }

    @Override
    public boolean isForHost() {
      return false;
    }
  }

  @Test
  public void shouldSeeThePeerGoWhenItsSocketCloses() throws IOException {
    assertFalse(seesPeerGo());
    peer.close();
    assertTrue(seesPeerGo());
    assertTrue(link.isPeerGone());
  }

  @Test
  public void shouldLeaveNoDescriptorOpen() throws IOException {
    long before = descriptors();
    for (int i = 0; i < 20; i++) {
      close();
      connect();
      try (NativeMemory segment = pass(LAYOUT.sizeBytes())) {
        link.progress();
      }
    }
    assertTrue(descriptors() <= before + 2, before + " descriptors became " + descriptors());
  }

  /** It does not look every time. */
  private boolean seesPeerGo() {
    return IntStream.range(0, 64).anyMatch(round -> link.isPeerGone());
  }

  /** Makes a segment as the dialler would, and passes it. */
  private NativeMemory pass(long sizeBytes) throws IOException {
    return pass(peer, sizeBytes);
  }

  private static NativeMemory pass(UnixSocket peer, long sizeBytes) throws IOException {
    int fd = UnixSystem.check("create", UnixSystem.createSegment0(sizeBytes));
    try {
      peer.sendFd(fd);
      return NativeMemory.map(fd, sizeBytes);
    } finally {
      UnixSystem.check("close", UnixSystem.close0(fd));
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
