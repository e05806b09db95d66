// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.FreeRanges;
import java.time.Duration;
import java.util.Optional;

/**
 * What a volume may take.
 *
 * @param memoryBytes of all tensors together; pages take memory once something lay in them
 * @param keptVersions of each state dict, at least 1; writing one more takes room, too
 * @param patience how long a client may stop in the middle of a request; a put waits half as long
 *     for room that a device has not let go of
 * @param reads by which clients read its memory past this process, and it reads what they put,
 *     where both have a device for that
 */
public record VolumeOptions(
    long memoryBytes, int keptVersions, Duration patience, Optional<OneSidedReads> reads) {
  /** Checks the numbers. */
  public VolumeOptions {
    if (memoryBytes < FreeRanges.ALIGNMENT) {
      throw new UsageException(
          "a volume has at least %s bytes of memory, not %s"
              .formatted(FreeRanges.ALIGNMENT, memoryBytes));
    }
    if (keptVersions < 1) {
      throw new UsageException("a volume keeps at least 1 version, not " + keptVersions);
    }
  }

  /** Without one-sided reads. */
  public VolumeOptions(long memoryBytes, int keptVersions, Duration patience) {
    this(memoryBytes, keptVersions, patience, Optional.empty());
  }

  /** So much memory, two versions, and 30 s. */
  public static VolumeOptions of(long memoryBytes) {
    return new VolumeOptions(memoryBytes, 2, Duration.ofSeconds(30));
  }

  /** This, with so many versions. */
  public VolumeOptions withKeptVersions(int count) {
    return new VolumeOptions(memoryBytes, count, patience, reads);
  }

  /**
   * This, with one-sided reads, which the caller closes after the volume. Its clients may read all
   * that is exposed by {@code device}: volumes of several tokens have one each.
   */
  public VolumeOptions withReads(OneSidedReads device) {
    return new VolumeOptions(memoryBytes, keptVersions, patience, Optional.of(device));
  }
}
