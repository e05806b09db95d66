// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

/** Where one end of a channel over several rails stands. */
enum Phase {
  CARRYING,
  /** A rail has failed here; the peer has not said to stop. */
  STOPPING,
  /** Both have said it; the epoch's channels close, and may still touch memory. */
  FENCING,
  /** The peer has been told what is lacking. */
  AGREEING,
  /** There is no way on; what is known to be complete becomes so. */
  ENDING
}
