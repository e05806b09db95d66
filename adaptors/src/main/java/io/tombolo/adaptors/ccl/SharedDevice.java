// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

/**
 * What NCCL and its like want of ranks that share a device: that they seem to be on other hosts.
 */
public final class SharedDevice {
  /** The variable that names a rank's host to the library. */
  public static final String HOST_ID = "NCCL_HOSTID";

  /** What each of them needs. */
  public static final String FIX =
      "an " + HOST_ID + " of its own ('Ranks that share a device' in docs/using-it.md)";

  /** NCCL, src/init.cc, initTransportsRank. Since 2.30 it says itself what to do. */
  private static final String REFUSAL = "Duplicate GPU detected";

  private SharedDevice() {}

  /** What to do about it where the library's {@code text} is its refusal; empty where it is not. */
  static String advice(String text) {
    return text.contains(REFUSAL)
        ? "; give each rank a device of its own, or, to share this one, " + FIX
        : "";
  }
}
