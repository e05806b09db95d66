// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.HostPinner;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.staged.SlotRing;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * Slots in a segment that both processes map and both devices reach. The dialler makes it and
 * passes it over; after that the socket carries nothing, and slots move by four words of the
 * segment. Large payloads between two processes of host memory stay where they are: the receiver
 * copies them from there to their place, if the system allows it.
 *
 * <p>The peer can write anything into the segment at any time: what is read from there is checked.
 */
final class ShmLink implements SlotLink {
  /** Between two looks whether the peer is still there: a system call. */
  private static final int ROUNDS_PER_LOOK = 64;

  private final UnixSocket socket;
  private final ShmLayout layout;
  private final HostPinner pinner;
  private final boolean dialled;

  private NativeMemory segment;
  private HostPinner.Pin pin;
  private SlotRing out;
  private SlotRing in;
  private LongCell outPublished;
  private LongCell outReleased;
  private LongCell inPublished;
  private LongCell inReleased;
  private LentSlots lent;
  private PeerMemory peerMemory;
  private long published;
  private long handedOver;
  private long consumed;
  private long released;
  private long sentBytes;
  private int idleRounds;
  private boolean gone;

  ShmLink(UnixSocket socket, ShmLayout layout, HostPinner pinner, boolean dialled) {
    this.socket = socket;
    this.layout = layout;
    this.pinner = pinner;
    this.dialled = dialled;
  }

  @Override
  public boolean isReady() {
    return inReleased != null;
  }

  @Override
  public int progress() throws IOException {
    if (isReady()) {
      return 0;
    }
    return dialled ? offer() : adopt();
  }

  private int offer() throws IOException {
    int fd = UnixSystem.check("create a segment", UnixSystem.createSegment0(layout.sizeBytes()));
    try {
      map(fd);
      socket.sendFd(fd);
    } finally {
      UnixSystem.check("close a segment's descriptor", UnixSystem.close0(fd));
    }
    return 1;
  }

  private int adopt() throws IOException {
    OptionalInt fd = socket.receiveFd();
    if (fd.isEmpty()) {
      return 0;
    }
    try {
      UnixSystem.check(
          "use the segment that the peer passed",
          UnixSystem.checkSegment0(fd.getAsInt(), layout.sizeBytes()));
      map(fd.getAsInt());
    } finally {
      UnixSystem.check("close a segment's descriptor", UnixSystem.close0(fd.getAsInt()));
    }
    return 1;
  }

  private void map(int fd) {
    segment = NativeMemory.map(fd, layout.sizeBytes());
    pin = pinner.adopt(segment);
    out = new SlotRing(segment, layout.ring(dialled), layout.geometry());
    in = new SlotRing(segment, layout.ring(!dialled), layout.geometry());
    outPublished = segment.cell(layout.published(dialled));
    outReleased = segment.cell(layout.released(dialled));
    lent =
        new LentSlots(
            out,
            segment.cell(layout.reads(!dialled)),
            segment.cell(layout.refused(dialled)),
            segment.cell(layout.takenBack(dialled)));
    peerMemory =
        new PeerMemory(
            socket,
            pinner.isForHost(),
            segment.cell(layout.reads(dialled)),
            segment.cell(layout.refused(!dialled)),
            segment.cell(layout.takenBack(!dialled)));
    inPublished = segment.cell(layout.published(!dialled));
    inReleased = segment.cell(layout.released(!dialled));
  }

  @Override
  public SlotRing out() {
    return out;
  }

  @Override
  public SlotRing in() {
    return in;
  }

  @Override
  public long claimable() {
    consumed = checked(outReleased.getAcquire(), consumed, published);
    return consumed + out.slots();
  }

  @Override
  public int borrow(long sequence, LocalMemory source, long position, long rest) {
    return lent.lend(sequence, source, position, rest);
  }

  @Override
  public long refused() {
    return lent.refused(consumed, published);
  }

  /** The peer goes on with what is published then. */
  @Override
  public long takeBack(long from, long end, long payloadBytes) {
    published = from;
    sentBytes -= payloadBytes;
    outPublished.setRelease(published);
    return lent.takeBack(from, end);
  }

  @Override
  public void publish(long sequence, int payloadBytes) {
    lent.note(sequence);
    published = sequence + 1;
    sentBytes += payloadBytes;
    outPublished.setRelease(published);
  }

  /** What is lent is in this process's hands until the peer has read it. */
  @Override
  public long handedOver() {
    consumed = checked(outReleased.getAcquire(), consumed, published);
    for (; handedOver < published; handedOver++) {
      if (handedOver < consumed) {
        lent.end(handedOver);
      } else if (lent.has(handedOver)) {
        break;
      }
    }
    return handedOver;
  }

  @Override
  public long sentBytes() {
    return sentBytes;
  }

  @Override
  public long arrived() {
    peerMemory.look();
    return peerMemory.arrived(checked(inPublished.getAcquire(), released, released + in.slots()));
  }

  @Override
  public boolean isLent(long sequence) {
    return LentSlots.isLent(in.view(sequence));
  }

  @Override
  public int mostLentBytes() {
    return LentSlots.MOST_BYTES;
  }

  @Override
  public boolean fetch(long sequence, LocalMemory target, long position, int bytes, long rest) {
    return peerMemory.fetch(sequence, in.view(sequence), target, position, bytes, rest);
  }

  @Override
  public void release(long sequence) {
    released = sequence + 1;
    inReleased.setRelease(released);
  }

  /** What the peer publishes waits in the ring for a message here; its end shows on the socket. */
  @Override
  public void awaits(WakeUps wakeUps) {
    if (!gone) {
      socket.awaits(wakeUps);
    }
  }

  @Override
  public boolean isPeerGone() {
    if (!gone && ++idleRounds % ROUNDS_PER_LOOK == 0) {
      gone = socket.isPeerGone();
    }
    return gone;
  }

  /** What the peer reads in this process's memory after that, it takes for nothing any more. */
  @Override
  public void hangUp() {
    try {
      socket.shutDown();
    } finally {
      Sockets.closeQuietly(socket);
    }
  }

  @Override
  public void close() {
    hangUp();
    if (pin != null) {
      pin.close();
      pin = null;
    } else if (segment != null) {
      segment.close(); // it could not be pinned, or is gone
    }
    segment = null;
  }

  private static long checked(long word, long atLeast, long atMost) {
    if (word < atLeast || word > atMost) {
      throw new CorruptException(
          "the peer's word in the shared segment says "
              + word
              + ", which is not between "
              + atLeast
              + " and "
              + atMost);
    }
    return word;
  }
}
