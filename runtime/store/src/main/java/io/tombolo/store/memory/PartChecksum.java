// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

/**
 * What a part's bytes add to the checksum of the whole that they are part of. The parts' of all
 * parts together, and nothing else, make the whole's; nobody has to look at all bytes for it.
 *
 * <p>A part is runs of bytes, in the order in which they lie in the whole. Mostly they have one
 * length and one distance, so that a run costs one multiplication. For one thread.
 */
public final class PartChecksum {
  private int sum;
  private long end;
  private long lastStep;
  private int lastPower = CrcShift.power(0);
  private long lastLength;
  private int lastZeros = CrcShift.ofZeros(0);

  /** What no bytes add. */
  public PartChecksum() {}

  /**
   * The next run.
   *
   * @param offset where it begins in the whole, not before the end of the run before
   * @param sizeBytes its length
   * @param crc its own CRC-32C
   */
  public void add(long offset, long sizeBytes, int crc) {
    if (sizeBytes != lastLength) {
      lastLength = sizeBytes;
      lastZeros = CrcShift.ofZeros(sizeBytes);
    }
    long step = offset + sizeBytes - end;
    if (step != lastStep) {
      lastStep = step;
      lastPower = CrcShift.power(step);
    }
    sum = CrcShift.product(sum, lastPower) ^ crc ^ lastZeros;
    end = offset + sizeBytes;
  }

  /** What the runs add to the checksum of a whole of so many bytes. */
  public int of(long wholeBytes) {
    return CrcShift.product(sum, CrcShift.power(wholeBytes - end));
  }

  /** The CRC-32C of a whole of so many bytes to which all its parts add {@code parts}, by ⊕. */
  public static int whole(long wholeBytes, int parts) {
    return CrcShift.ofZeros(wholeBytes) ^ parts;
  }
}
