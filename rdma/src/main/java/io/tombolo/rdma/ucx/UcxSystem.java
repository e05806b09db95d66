// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.NativeLibrary;

/** What the loader can tell of UCX. */
final class UcxSystem {
  static {
    NativeLibrary.load(UcxSystem.class, "tombolo_rdma");
  }

  private UcxSystem() {}

  /**
   * Opens the library {@code name} for good; {@code answer[0]} becomes its version if it could, and
   * else what the loader said.
   */
  static native boolean open0(String name, String[] answer);
}
