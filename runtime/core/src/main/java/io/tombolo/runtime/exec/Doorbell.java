package io.tombolo.runtime.exec;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;

/**
 * How a stream starts operations and waits for them without the host: pairs of 64-bit words in
 * pinned memory.
 *
 * <p>Operation {@code n} uses pair {@code n mod PAIRS}. The stream writes {@code n} to the start
 * word when it reaches the call, and waits until the end word is at least {@code n}.
 */
final class Doorbell implements AutoCloseable {
  /** Operations that can be under way at once. */
  static final int PAIRS = 64;

  /** Each word has a cache line to itself: two sides poll them. */
  private static final int LINE_BYTES = 64;

  private final NativeMemory words = NativeMemory.allocate(2L * PAIRS * LINE_BYTES);
  private final DeviceMemory pinned;
  private final DeviceAdaptor device;
  private final LongCell[] starts = new LongCell[PAIRS];
  private final LongCell[] ends = new LongCell[PAIRS];

  Doorbell(DeviceAdaptor device) {
    this.device = device;
    this.pinned = device.register(words.address(), words.sizeBytes());
    for (int pair = 0; pair < PAIRS; pair++) {
      starts[pair] = words.cell(2L * pair * LINE_BYTES);
      ends[pair] = words.cell((2L * pair + 1) * LINE_BYTES);
    }
  }

  /** Queues on {@code stream}: start operation {@code sequence}. */
  void queueStart(Stream stream, long sequence) {
    device.writeValueAsync(stream, starts[pair(sequence)].address(), sequence);
  }

  /** Queues on {@code stream}: wait for the end of operation {@code sequence}. */
  void queueWait(Stream stream, long sequence) {
    device.waitValueAsync(stream, ends[pair(sequence)].address(), sequence);
  }

  /** Starts operation {@code sequence} in the place of a stream that has nothing before it. */
  void ring(long sequence) {
    starts[pair(sequence)].setRelease(sequence);
  }

  /** Whether the stream has reached operation {@code sequence}. */
  boolean hasRung(long sequence) {
    return starts[pair(sequence)].getAcquire() >= sequence;
  }

  /** Lets the stream go on after operation {@code sequence}. */
  void release(long sequence) {
    ends[pair(sequence)].setRelease(sequence);
  }

  @Override
  public void close() {
    pinned.close();
    words.close();
  }

  /** The pair that operation {@code sequence} uses. */
  static int pair(long sequence) {
    return (int) (sequence % PAIRS);
  }
}
