// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.SlotRing;

/**
 * Where things lie in a segment: a page of words, each on a cache line of its own, then the
 * dialler's outgoing ring, then the listener's.
 *
 * <pre>
 *   64  u64  slots that the dialler has published
 *  128  u64  slots of the dialler that the listener has released
 *  192  u64  slots that the listener has published
 *  256  u64  slots of the listener that the dialler has released
 *  320  u64  2 if the dialler reads the listener's memory
 *  384  u64  2 if the listener reads the dialler's memory
 *  448  u64  one more than the slot that the dialler lent and the listener could not read; or 0
 *  512  u64  one more than that slot, once the dialler has taken it back
 *  576  u64  one more than the slot that the listener lent and the dialler could not read; or 0
 *  640  u64  one more than that slot, once the listener has taken it back
 * 4096       ring of the dialler, ring of the listener
 * </pre>
 *
 * @param geometry of each ring
 */
record ShmLayout(SlotGeometry geometry) {
  private static final long LINE_BYTES = 64;
  private static final long PAGE_BYTES = 4096;

  /** Bytes of the segment. */
  long sizeBytes() {
    return PAGE_BYTES + 2 * SlotRing.sizeBytes(geometry);
  }

  /** The word that counts what is published into a ring. */
  long published(boolean dialler) {
    return dialler ? LINE_BYTES : 3 * LINE_BYTES;
  }

  /** The word that counts what is released from a ring. */
  long released(boolean dialler) {
    return published(dialler) + LINE_BYTES;
  }

  /** The word that says whether a side reads the other's memory. */
  long reads(boolean dialler) {
    return dialler ? 5 * LINE_BYTES : 6 * LINE_BYTES;
  }

  /** The word that says whether a payload lent in a ring was refused. */
  long refused(boolean dialler) {
    return dialler ? 7 * LINE_BYTES : 9 * LINE_BYTES;
  }

  /** The word that says which payload lent in a ring was taken back. */
  long takenBack(boolean dialler) {
    return refused(dialler) + LINE_BYTES;
  }

  /** The first slot of a ring. */
  long ring(boolean dialler) {
    return dialler ? PAGE_BYTES : PAGE_BYTES + SlotRing.sizeBytes(geometry);
  }
}
