// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** The two moments that are not on any clock; clocks may well be negative. */
final class Moment {
  /** Before every clock. */
  static final long NOW = Long.MIN_VALUE;

  /** After every clock. */
  static final long NEVER = Long.MAX_VALUE;

  private Moment() {}
}
