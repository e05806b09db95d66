// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.LongCell;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out whether a stream may be held: whether other streams go on meanwhile. Streams share
 * hardware queues, and no runtime tells which; a stream that waits for a word may hold up all
 * behind it in its queue ({@code cuda.h}, stream memory operations: "may deadlock"). So the stream
 * is held for a moment, with copies on the others.
 *
 * <p>That the copies have not passed may also mean that the machine is busy. So this believes it
 * only if they pass as soon as the stream is let go, several times, or if they do not pass for a
 * long time: then the answer is no, which is always safe. Thread-safe; for callers, not the agent.
 */
final class StreamProbe implements AutoCloseable {
  private static final long FIRST_WINDOW_NS = 10_000_000;
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int PROOFS = 3;
  private static final long PAUSE_NS = 20_000;

  private final DeviceAdaptor device;
  private final CloseStack stack = new CloseStack();
  private final LongCell word;
  private final DeviceMemory source;
  private final DeviceMemory target;
  private final Event behind;
  private final Event[] events;
  private long turn;

  /** Makes what probes of {@code device} with so many others at {@code most} need. */
  StreamProbe(DeviceAdaptor device, int most) {
    this.device = device;
    word = device.newWords(1).get(0);
    source = stack.opened(device.allocatePinned(Long.BYTES));
    target = stack.opened(device.allocate(Long.BYTES));
    behind = stack.opened(device.newEvent());
    events = new Event[most];
    for (int i = 0; i < most; i++) {
      events[i] = stack.opened(device.newEvent());
    }
  }

  /** Whether all of {@code others} go on while {@code stream} is held. */
  boolean passes(Stream stream, List<Stream> others) {
    return passes(stream, List.of(), others);
  }

  /** As the other, while all of {@code followers} wait for {@code stream} besides. */
  synchronized boolean passes(Stream stream, List<Stream> followers, List<Stream> others) {
    long begun = System.nanoTime();
    long window = FIRST_WINDOW_NS;
    for (int proofs = 0; proofs < PROOFS && System.nanoTime() - begun < LIMIT_NS; window *= 2) {
      if (passesWithin(window, stream, followers, others)) {
        return true;
      }
      proofs += await(others.size(), window / 4) ? 1 : 0;
    }
    return false;
  }

  private boolean passesWithin(
      long window, Stream stream, List<Stream> followers, List<Stream> others) {
    long value = ++turn;
    device.waitValueAsync(stream, word.address(), value);
    try {
      behind.record(stream);
      followers.forEach(follower -> follower.waitFor(behind));
      for (int i = 0; i < others.size(); i++) {
        copy(CopyDirection.HOST_TO_DEVICE, target, source, others.get(i));
        copy(CopyDirection.DEVICE_TO_HOST, source, target, others.get(i));
        events[i].record(others.get(i));
      }
      return await(others.size(), window);
    } finally {
      word.setRelease(value);
    }
  }

  private void copy(CopyDirection direction, DeviceMemory to, DeviceMemory from, Stream stream) {
    device.copyAsync(direction, to.address(), from.address(), Long.BYTES, stream);
  }

  private boolean await(int count, long limitNs) {
    long begun = System.nanoTime();
    while (!areDone(count)) {
      if (System.nanoTime() - begun >= limitNs) {
        return areDone(count);
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
    return true;
  }

  private boolean areDone(int count) {
    for (int i = 0; i < count; i++) {
      if (!events[i].isDone()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    stack.close();
  }
}
