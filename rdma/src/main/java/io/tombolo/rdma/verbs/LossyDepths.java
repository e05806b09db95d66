// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.primitives.Ints;
import io.tombolo.base.errors.UnavailableException;

/**
 * How many requests the queues of unreliable pairs hold: what is wanted, or what the device has.
 *
 * @param receives posted, for all channels together
 * @param sends on their way out, for all channels together
 * @param lane requests that one queue pair takes
 */
record LossyDepths(int receives, int sends, int lane) {
  private static final int RECEIVES = 2048;
  private static final int SENDS = 1024;
  private static final int LANE = 512;

  /** A window of packets and its acknowledgements; with fewer, each burst loses some. */
  private static final int LEAST_RECEIVES = 64;

  /** Queue pairs that are gone leave completions behind: the queue has room for as many again. */
  private static final int SLACK = 2;

  /** Those for pairs of {@code type} on {@code device}, which {@code attributes} are of. */
  static LossyDepths of(PairType type, String device, DeviceAttributes attributes) {
    int byQueue = type == PairType.UC ? attributes.maxSharedRequests() : attributes.maxRequests();
    int room = attributes.maxCompletions() / SLACK;
    int receives = Ints.min(RECEIVES, byQueue, room * 2 / 3);
    if (receives < LEAST_RECEIVES) {
      throw new UnavailableException(
          device
              + " holds only "
              + byQueue
              + " receives and "
              + attributes.maxCompletions()
              + " completions, too few for "
              + LEAST_RECEIVES
              + " packets under way; use tcp, or rc where no packets are lost");
    }
    return new LossyDepths(
        receives, Math.min(SENDS, room / 3), Ints.min(LANE, attributes.maxRequests(), room / 3));
  }

  /** Entries of the completion queue of all. */
  int completions() {
    return SLACK * (receives + sends);
  }
}
