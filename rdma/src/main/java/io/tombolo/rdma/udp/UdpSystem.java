// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.NativeLibrary;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.FabricException;

/** The system calls of a datagram socket, a batch at a time. Descriptors are the caller's. */
final class UdpSystem {
  /** No room now; the numbers are Linux's errno, negated. */
  static final int AGAIN = -11;

  static final int NO_BUFFERS = -105;

  static {
    NativeLibrary.load(UdpSystem.class, "tombolo_rdma");
  }

  private UdpSystem() {}

  /** {@code result} unless it is an error; {@link FabricException} with its errno if it is. */
  static int check(String what, int result) {
    if (result == -OpenFiles.EMFILE) {
      throw OpenFiles.noneLeft("cannot " + what);
    }
    if (result < 0) {
      throw new FabricException("cannot " + what, -result);
    }
    return result;
  }

  static native int open0(byte[] ip, int port, int bufferBytes);

  static native int port0(int fd);

  static native int receiveBuffer0(int fd);

  static native boolean cuts0(int fd);

  static native int send0(int fd, int kind, long packets, long order, int count);

  static native int receive0(int fd, long packets, long order, int count);

  static native int close0(int fd);
}
