// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.base.NativeLibrary;

/**
 * The native side: every method calls one entry point of a vendor's library and returns its result
 * code as it is. Handles are (generation, index) pairs, never addresses; a stale one is an {@link
 * IllegalStateException}.
 */
final class CclNative {
  static {
    NativeLibrary.load(CclNative.class, "tombolo_ccl");
  }

  private CclNative() {}

  /**
   * Opens the first of {@code candidates}, after opening {@code dependencies}; {@code symbols}
   * follow {@link Entry}, null where not to be called. 0 with {@code problem[0]} set if that fails.
   */
  static native long open0(
      String[] candidates, String[] dependencies, String[] symbols, int shape, String[] problem);

  /** Whether the process has one of {@code candidates} loaded already. */
  static native boolean isLoaded0(String[] candidates);

  static native void close0(long library);

  /** Which entry points were found, in the order of {@link Entry}. */
  static native boolean[] present0(long library);

  static native int version0(long library, int[] version);

  static native int uniqueId0(long library, byte[] id);

  /** The calling thread's device; the result is the device runtime's, not the library's. */
  static native int currentDevice0(long library, int[] device);

  /**
   * {@code communicator[0]} becomes the new communicator, 0 where there is none; there may be one
   * together with an error. Without a {@link Entry#CURRENT_DEVICE} nobody reads {@code device}.
   */
  static native int join0(
      long library, byte[] id, int rank, int size, int device, long[] communicator);

  /**
   * Makes the call at {@code entry}, an {@link Entry}'s place; the library ignores what the
   * operation does not have. {@code root} is the peer of a send or receive.
   */
  static native int collective0(
      long communicator,
      int entry,
      long send,
      long receive,
      long count,
      int type,
      int op,
      int root,
      long stream);

  /**
   * Has the library take the call at {@code entry}, which is to be made next, as one that it may
   * begin ahead; waits for nobody. Nothing happens if it cannot; what is wrong with the call shows
   * when it is made.
   */
  static native void offer0(
      long communicator,
      int entry,
      long send,
      long receive,
      long count,
      int type,
      int op,
      int root);

  /** {@code memory} becomes the handle and the address of {@code sizeBytes}, zeros if none. */
  static native int allocate0(long library, long sizeBytes, long[] memory);

  static native int free0(long memory);

  /** Waits for all members. */
  static native int register0(long communicator, long memory);

  /**
   * If the result is {@code success}, the communicator is in use until {@link #groupEnd0}; else
   * there is no group to end.
   */
  static native int groupStart0(long communicator, int success);

  /** Once for each {@link #groupStart0} that succeeded, of the same library. */
  static native int groupEnd0(long library, long communicator);

  /** The result code, in the upper half, and in the lower one the error of the communicator. */
  static native long asyncError0(long communicator);

  static native int abort0(long communicator);

  static native int destroy0(long communicator);

  /** What the library says of {@code code}, and of its last error; null for a stale handle. */
  static native String text0(long handle, int code);
}
