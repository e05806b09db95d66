// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

/**
 * Which packets a queue marks (ECN, RFC 3168), by the bytes that wait when they come: none below
 * {@code fromBytes}, all above {@code toBytes}, and between them more and more, up to the part
 * {@code most} (RED, Floyd and Jacobson, 1993, as switches have it). A threshold, as DCTCP wants it
 * (RFC 8257), is a curve whose ends are one.
 *
 * @param fromBytes marks begin here
 * @param toBytes all are marked from here on
 * @param most the part that is marked just below that
 */
public record MarkingCurve(long fromBytes, long toBytes, double most) {
  /** A queue that marks nothing. */
  public static final MarkingCurve NONE = new MarkingCurve(Long.MAX_VALUE, Long.MAX_VALUE, 0);

  /** A queue that marks all that comes while more than {@code bytes} wait. */
  public static MarkingCurve threshold(long bytes) {
    return new MarkingCurve(bytes, bytes, 1);
  }

  /** The part of the packets that is marked while {@code queuedBytes} wait. */
  double part(double queuedBytes) {
    if (queuedBytes <= fromBytes) {
      return 0;
    }
    return queuedBytes > toBytes ? 1 : most * (queuedBytes - fromBytes) / (toBytes - fromBytes);
  }
}
