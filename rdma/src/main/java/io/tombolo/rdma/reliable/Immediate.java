// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * The 32 bits that travel with a remote write, the only header it has.
 *
 * <pre>
 *   31        24 23     21 20                                 0
 *  +------------+---------+------------------------------------+
 *  |   flow: 8  | att: 3  |              psn: 21               |
 *  +------------+---------+------------------------------------+
 * </pre>
 *
 * <p>Never a length: lengths and addresses come from the receiver's own advertisement. The attempt
 * counts transmissions of a chunk from 0, modulo 8.
 */
public final class Immediate {
  private static final int ATTEMPT_BITS = 3;
  private static final int PSN_MASK = (1 << PsnSpace.IMMEDIATE_BITS) - 1;

  /** Attempts that can be told apart on the wire. */
  static final int ATTEMPTS = 1 << ATTEMPT_BITS;

  private Immediate() {}

  /** Packs the three; bits that do not fit are cut off. */
  public static int pack(int flow, int attempt, long psn) {
    return (flow << (ATTEMPT_BITS + PsnSpace.IMMEDIATE_BITS))
        | (attemptOf(attempt) << PsnSpace.IMMEDIATE_BITS)
        | ((int) psn & PSN_MASK);
  }

  /** The flow, 0 to 255. */
  public static int flow(int immediate) {
    return immediate >>> (ATTEMPT_BITS + PsnSpace.IMMEDIATE_BITS);
  }

  /** The attempt, 0 to 7. */
  public static int attempt(int immediate) {
    return (immediate >>> PsnSpace.IMMEDIATE_BITS) & (ATTEMPTS - 1);
  }

  /** What the wire says of the transmission that is the {@code transmission}-th, from 0. */
  static int attemptOf(int transmission) {
    return transmission & (ATTEMPTS - 1);
  }

  /** The lowest 21 bits of the psn. */
  public static int psn(int immediate) {
    return immediate & PSN_MASK;
  }
}
