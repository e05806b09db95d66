// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Who may do what to a region of memory; numbered as the library numbers them. */
final class Access {
  /** The NIC may write it: received data. */
  static final int LOCAL_WRITE = 1;

  /** Peers may write it. */
  static final int REMOTE_WRITE = 2;

  /** Peers may read it. */
  static final int REMOTE_READ = 4;

  /** Windows may be opened onto it. */
  static final int WINDOWS = 16;

  private Access() {}
}
