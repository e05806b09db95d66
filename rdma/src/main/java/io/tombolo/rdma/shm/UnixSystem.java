// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.NativeLibrary;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.FabricException;

/**
 * The system calls of abstract Unix sockets, sealed memory segments and other processes' memory.
 * Descriptors are the caller's to close.
 */
final class UnixSystem {
  /** Nothing to do now; the numbers are Linux's errno, negated. */
  static final int AGAIN = -11;

  static final int END_OF_STREAM = -32;
  static final int CONNECTION_RESET = -104;
  static final int CONNECTION_REFUSED = -111;

  static {
    NativeLibrary.load(UnixSystem.class, "tombolo_rdma");
  }

  private UnixSystem() {}

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

  static native int listen0(byte[] name);

  static native int accept0(int listener);

  static native int connect0(byte[] name);

  static native int read0(int fd, byte[] bytes, int from, int length);

  static native int write0(int fd, byte[] bytes, int from, int length);

  static native int peerGone0(int fd);

  static native int peerProcess0(int fd);

  static native int shutDown0(int fd);

  /** Not 0 if the memory of {@code process} may be read. */
  static native int mayReadProcess0(int process);

  /** Copies from {@code process} to this one: 0, or an errno, negated. */
  static native int readProcess0(int process, long to, long from, int bytes);

  static native int sendFd0(int fd, int passed);

  static native int receiveFd0(int fd);

  static native int createSegment0(long sizeBytes);

  static native int checkSegment0(int fd, long sizeBytes);

  static native int close0(int fd);
}
