// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import java.util.function.Consumer;

/**
 * A doorbell of 64-bit words that host and device share, in pairs: the stream writes {@code origin
 * + n} to the start word when it reaches operation {@code n}, and waits until the end word is at
 * least that.
 */
final class WordDoorbell implements Doorbell {
  private final DeviceAdaptor device;
  private final DoorbellWords words;
  private final Consumer<DoorbellWords> giveBack;
  private final HoldableStreams holdable;
  private final long origin;
  private long newest;

  /**
   * Uses {@code words} until it is closed, then hands them to {@code giveBack}; holds none but
   * {@code holdable} streams.
   */
  WordDoorbell(
      DeviceAdaptor device,
      DoorbellWords words,
      Consumer<DoorbellWords> giveBack,
      HoldableStreams holdable) {
    this.device = device;
    this.holdable = holdable;
    this.words = words;
    this.giveBack = giveBack;
    this.origin = words.last();
    this.newest = origin;
  }

  @Override
  public void queueStart(Stream stream, long sequence) {
    newest = origin + sequence;
    device.writeValueAsync(stream, words.start(sequence).address(), newest);
  }

  @Override
  public void queueWait(Stream stream, long sequence) {
    device.waitValueAsync(stream, words.end(sequence).address(), origin + sequence);
  }

  @Override
  public boolean marksEnds() {
    return true;
  }

  @Override
  public void queueEnd(Stream stream, long sequence) {
    device.writeValueAsync(stream, words.end(sequence).address(), origin + sequence);
  }

  @Override
  public boolean hasEnded(long sequence) {
    return words.end(sequence).getAcquire() >= origin + sequence;
  }

  @Override
  public boolean holds(Stream stream) {
    return holdable.has(stream);
  }

  @Override
  public boolean isIdle(Stream stream) {
    return holdable.isIdle(stream);
  }

  @Override
  public void ring(long sequence) {
    newest = origin + sequence;
    words.start(sequence).setRelease(newest);
  }

  @Override
  public boolean hasRung(long sequence) {
    return words.start(sequence).getAcquire() >= origin + sequence;
  }

  @Override
  public void release(long sequence) {
    words.end(sequence).raiseRelease(origin + sequence);
  }

  @Override
  public void close() {
    words.reached(newest);
    giveBack.accept(words);
  }
}
