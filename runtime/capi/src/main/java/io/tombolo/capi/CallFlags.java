// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

/** The flags of {@code tombolo_call}, as {@code tombolo.h} has them. */
final class CallFlags {
  /** The call returns when the operation has ended. */
  static final int BLOCKING = 1;

  /** The stream goes on at once. */
  static final int ASYNC = 2;

  /** No stream has part in it. */
  static final int HOST_ORDER = 4;

  /** The call returns when the operation has ended, if that is soon. */
  static final int BRIEFLY = 8;

  private CallFlags() {}
}
