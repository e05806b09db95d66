package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;

/**
 * A doorbell of 64-bit words in pinned memory, in pairs: the stream writes {@code n} to the start
 * word when it reaches operation {@code n}, and waits until the end word is at least {@code n}.
 */
final class WordDoorbell implements Doorbell {
  /** Each word has a cache line to itself: two sides poll them. */
  private static final int LINE_BYTES = 64;

  private final NativeMemory words = NativeMemory.allocate(2L * PAIRS * LINE_BYTES);
  private final DeviceMemory pinned;
  private final DeviceAdaptor device;
  private final LongCell[] starts = new LongCell[PAIRS];
  private final LongCell[] ends = new LongCell[PAIRS];

  WordDoorbell(DeviceAdaptor device) {
    this.device = device;
    this.pinned = device.register(words.address(), words.sizeBytes());
    for (int pair = 0; pair < PAIRS; pair++) {
      starts[pair] = words.cell(2L * pair * LINE_BYTES);
      ends[pair] = words.cell((2L * pair + 1) * LINE_BYTES);
    }
  }

  @Override
  public void queueStart(Stream stream, long sequence) {
    device.writeValueAsync(stream, starts[Doorbell.pair(sequence)].address(), sequence);
  }

  @Override
  public void queueWait(Stream stream, long sequence) {
    device.waitValueAsync(stream, ends[Doorbell.pair(sequence)].address(), sequence);
  }

  @Override
  public boolean holdsStreams() {
    return true;
  }

  @Override
  public void ring(long sequence) {
    starts[Doorbell.pair(sequence)].setRelease(sequence);
  }

  @Override
  public boolean hasRung(long sequence) {
    return starts[Doorbell.pair(sequence)].getAcquire() >= sequence;
  }

  @Override
  public void release(long sequence) {
    ends[Doorbell.pair(sequence)].setRelease(sequence);
  }

  @Override
  public void close() {
    pinned.close();
    words.close();
  }
}
