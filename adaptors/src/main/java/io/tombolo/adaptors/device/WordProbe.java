// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Tries whether streams of a device wait for words of pinned memory, and write them: where no
 * attribute says so, a runtime that has the calls may refuse them on some devices or in such
 * memory, or mean something else by the number of the condition.
 */
final class WordProbe {
  /** What a device does in microseconds; a driver on a cold host may take its time. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  /** How long a stream is watched that should not go on. */
  private static final Duration HOLD = Duration.ofMillis(1);

  private final RuntimeDevice device;
  private final LongCell awaited;
  private final LongCell written;

  /** Of {@code device}, with two words that are 0 and stay mapped: a stream may be left at them. */
  WordProbe(RuntimeDevice device, LongCell awaited, LongCell written) {
    this.device = device;
    this.awaited = awaited;
    this.written = written;
  }

  /** What is wrong with them, if anything is. */
  Optional<String> objection() {
    Stream stream = device.newStream();
    try {
      Optional<String> objection = objection(stream);
      if (objection.isEmpty() || letGo(stream)) {
        stream.close(); // where one is stuck, this may wait for it
      }
      return objection;
    } catch (VendorException e) {
      stream.close();
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> objection(Stream stream) {
    awaited.setRelease(2);
    step(stream, 1);
    if (!isWritten(1, LIMIT)) {
      return Optional.of("one does not pass a word that is more than it waits for");
    }
    step(stream, 3);
    if (isWritten(3, HOLD)) {
      return Optional.of("one passes a word that is less than it waits for");
    }
    awaited.setRelease(3);
    return isWritten(3, LIMIT)
        ? Optional.empty()
        : Optional.of("one does not see that the host has written its word");
  }

  /** Has {@code stream} wait for at least {@code value}, then say so. */
  private void step(Stream stream, long value) {
    device.waitValueAsync(stream, awaited.address(), value);
    device.writeValueAsync(stream, written.address(), value);
  }

  /** Whether {@code stream} ends, which may have taken "at least 1" for "exactly 1". */
  private boolean letGo(Stream stream) {
    awaited.setRelease(1);
    return within(LIMIT, stream::isIdle);
  }

  private boolean isWritten(long value, Duration limit) {
    return within(limit, () -> written.getAcquire() == value);
  }

  /** Whether {@code condition} holds before {@code limit} is over. */
  static boolean within(Duration limit, BooleanSupplier condition) {
    Deadline deadline = Deadline.after(limit);
    Backoff backoff = new Backoff();
    while (!condition.getAsBoolean()) {
      if (deadline.isExpired()) {
        return false;
      }
      backoff.pause();
    }
    return true;
  }
}
