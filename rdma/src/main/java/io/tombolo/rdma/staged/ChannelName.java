// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;

/**
 * Which channel an error is about.
 *
 * @param rank this side
 * @param peer the other side
 * @param fabric what carries it
 * @param channelId which of the channels between the two
 */
public record ChannelName(int rank, int peer, String fabric, long channelId) {

  /** The error of a channel that was {@code doing} something when its time to open was over. */
  public DeadlineExceededException late(Deadline deadline, String doing) {
    return new DeadlineExceededException(
        this
            + " did not open within "
            + deadline.budgetNs() / 1_000_000
            + " ms: "
            + doing
            + "; is the process of rank "
            + peer
            + " alive, and in this job, and does no firewall drop what the two hosts say?");
  }

  /** What a failure leaves undone, and how far it came. */
  public static String outstanding(
      TransferQueue sends, TransferQueue receives, long sentBytes, long receivedBytes) {
    return " ("
        + sends.outstanding()
        + " sends and "
        + receives.outstanding()
        + " receives outstanding, "
        + sentBytes
        + " bytes sent, "
        + receivedBytes
        + " received)";
  }

  @Override
  public String toString() {
    return "rank " + rank + " to rank " + peer + " over " + fabric + ", channel " + channelId;
  }
}
