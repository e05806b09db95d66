// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.tcp;

import io.tombolo.base.NativeLibrary;

/** What the kernel knows of a TCP connection, and the JDK does not tell. */
final class TcpSystem {
  static {
    NativeLibrary.load(TcpSystem.class, "tombolo_rdma");
  }

  private TcpSystem() {}

  /**
   * 0 if the other end's kernel has acknowledged all that was sent over {@code descriptor}; else 1,
   * and while it is asked again in vain as many milliseconds more as nothing has come for; an
   * errno, negated, if the kernel does not tell.
   */
  static native long unanswered0(int descriptor);
}
