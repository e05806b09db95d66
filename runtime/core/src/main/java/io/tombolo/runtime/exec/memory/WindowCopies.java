// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static com.google.common.base.Preconditions.checkState;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Copies between device memory and fabrics' slots by the device's own engine, on a stream of ours;
 * each has a ticket. Channels open while streams are held, when pinning their slots might wait for
 * such a stream: what the device does not reach yet is copied by way of a ring that it does.
 *
 * <p>One for all communicators of a session. {@link #prepare} is for before any stream is held, the
 * rest for one thread. A copy makes no garbage.
 */
public final class WindowCopies implements AutoCloseable {
  private static final int PLACES = 8;
  private static final long PLACE_BYTES = 256 << 10;

  /** Copies under way at once; further ones wait here. */
  private static final int MAX_UNDER_WAY = 64;

  private final DeviceAdaptor device;
  private final CloseStack stack = new CloseStack();
  private final Deque<WindowCopy> waiting = new ArrayDeque<>();
  private final Deque<Piece> underWay = new ArrayDeque<>();
  private final Deque<WindowCopy> freeCopies = new ArrayDeque<>();
  private final Deque<Piece> freePieces = new ArrayDeque<>();
  private final Stream stream;
  private DeviceMemory ring;
  private long taken;
  private long left;
  private long started;
  private long done;

  /**
   * A part of a copy with {@code end} behind it, in a place of the ring if it bounces. Reused, with
   * its event.
   */
  private static final class Piece {
    private final Event end;
    private WindowCopy copy;
    private long bytes;
    private boolean bounces;
    private long host;

    Piece(Event end) {
      this.end = end;
    }
  }

  /** On {@code stream} of {@code device}, which stays the caller's. */
  public WindowCopies(DeviceAdaptor device, Stream stream) {
    this.device = device;
    this.stream = stream;
  }

  /** Makes what copies need, which may wait for all work of the device. */
  public void prepare() {
    if (device.isHost()) {
      return;
    }
    for (int i = 0; i < MAX_UNDER_WAY; i++) {
      freePieces.push(new Piece(stack.opened(device.newEvent())));
    }
    ring = stack.opened(device.allocatePinned(PLACES * PLACE_BYTES));
  }

  /** Whether the device's memory is the host's. */
  boolean areOfHost() {
    return device.isHost();
  }

  /** Whether a copy from or to that host memory needs no processor now. */
  boolean reaches(long hostAddress, long sizeBytes) {
    return !device.isHost() && device.reaches(hostAddress, sizeBytes);
  }

  /** Queues a copy; its ticket. The host's memory is copied at once, as it is on the stage. */
  long start(CopyDirection direction, long destination, long source, long sizeBytes) {
    if (device.isHost()) {
      NativeMemory.copy(destination, source, sizeBytes);
      return LocalMemory.DONE;
    }
    checkState(ring != null, "a copy before prepare()");
    WindowCopy copy = freeCopies.isEmpty() ? new WindowCopy() : freeCopies.pop();
    copy.set(direction, destination, source, sizeBytes);
    waiting.add(copy);
    queueNext();
    return ++started;
  }

  private void queueNext() {
    while (!waiting.isEmpty() && !freePieces.isEmpty()) {
      WindowCopy copy = waiting.peek();
      boolean bounces = copy.sizeBytes() > 0 && !device.reaches(copy.host(), copy.sizeBytes());
      if (bounces && taken - left == PLACES) {
        return;
      }
      queue(copy, bounces ? Math.min(PLACE_BYTES, copy.left()) : copy.left(), bounces);
      if (copy.left() == 0) {
        waiting.remove();
      }
    }
  }

  private void queue(WindowCopy copy, long bytes, boolean bounces) {
    long host = copy.host() + copy.queued();
    long here = bounces ? place(taken++) : host;
    if (bounces && !copy.isToHost()) {
      NativeMemory.copy(here, host, bytes);
    }
    long there = copy.device() + copy.queued();
    device.copyAsync(
        copy.direction(),
        copy.isToHost() ? here : there,
        copy.isToHost() ? there : here,
        bytes,
        stream);
    Piece piece = freePieces.pop();
    piece.copy = copy;
    piece.bytes = bytes;
    piece.bounces = bounces;
    piece.host = host;
    piece.end.record(stream);
    underWay.add(piece);
    copy.queue(bytes);
  }

  private long place(long number) {
    return ring.address() + number % PLACES * PLACE_BYTES;
  }

  /** Whether the copy of {@code ticket} has ended; those of a stream end in their order. */
  boolean isDone(long ticket) {
    while (!underWay.isEmpty() && underWay.peek().end.isDone()) {
      finish(underWay.remove());
      queueNext();
    }
    return ticket <= done;
  }

  private void finish(Piece piece) {
    if (piece.bounces) {
      long place = place(left++);
      if (piece.copy.isToHost()) {
        NativeMemory.copy(piece.host, place, piece.bytes);
      }
    }
    if (piece.copy.end(piece.bytes)) {
      freeCopies.push(piece.copy);
      done++;
    }
    freePieces.push(piece);
  }

  /** After a failure the device may be stuck: then all is left behind. */
  @Override
  public void close() {
    if (!device.isTainted()) {
      stack.close();
    }
  }
}
