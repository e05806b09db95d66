// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/**
 * Something that happened to a device, port or queue pair.
 *
 * @param type as the library numbers them
 * @param number of the queue pair or port it is about
 * @param text what the library calls it
 */
record AsyncEvent(int type, int number, String text) {
  static final int PORT_ERROR = 10;
  static final int GID_CHANGE = 18;
  private static final int QP_FATAL = 1;
  private static final int QP_REQUEST_ERROR = 2;
  private static final int QP_ACCESS_ERROR = 3;
  private static final int DEVICE_FATAL = 8;
  private static final int PORT_ACTIVE = 9;

  /** Whether the queue pair {@link #number} carries nothing any more. */
  boolean killsPair() {
    return type == QP_FATAL || type == QP_REQUEST_ERROR || type == QP_ACCESS_ERROR;
  }

  /** Whether that pair broke by itself, and not by what its peer asked of it. */
  boolean isPairsOwn() {
    return type == QP_FATAL;
  }

  /** Whether nothing on the device works any more. */
  boolean killsDevice() {
    return type == DEVICE_FATAL;
  }

  /** Whether the port {@link #number} has gone down, maybe for a moment. */
  boolean isPortDown() {
    return type == PORT_ERROR;
  }

  /** Whether the port {@link #number} has got, or lost, addresses. */
  boolean isGidChange() {
    return type == GID_CHANGE;
  }

  /** Whether the port {@link #number} is back. */
  boolean isPortUp() {
    return type == PORT_ACTIVE;
  }
}
