// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.NativeLibrary;

/**
 * The doors to libibverbs. Handles are never 0 once open; a negative answer is an errno, negated,
 * for {@link VerbsErrors}. Layouts of arrays and records are those of the C files of the same
 * module.
 */
final class VerbsNative {
  static {
    NativeLibrary.load(VerbsNative.class, "tombolo_verbs");
  }

  private VerbsNative() {}

  static native long openLibrary0(byte[] name, byte[] problem);

  static native long protectFromForks0(long library);

  static native long deviceNames0(long library, byte[] names);

  static native long openDevice0(long library, byte[] name);

  static native long queryDevice0(long context, long[] into);

  static native long queryPort0(long context, int port, long[] into);

  static native long queryGid0(long context, int port, int index, byte[] gid);

  static native String statusText0(long anyHandle, int status);

  static native String eventText0(long anyHandle, int event);

  static native String errorText0(int errno);

  static native long asyncEvent0(long context);

  static native long close0(long anyHandle);

  static native void forget0(long anyHandle);

  static native long allocateDomain0(long context);

  static native long register0(long domain, long address, long sizeBytes, int access);

  static native long registerAt0(long domain, long address, long sizeBytes, long iova, int access);

  static native long registerDmaBuf0(
      long domain, long offset, long sizeBytes, long iova, int fd, int access);

  static native long keys0(long region);

  static native long allocateWindow0(long domain);

  static native long bindWindow0(
      long pair, long window, long region, long address, long sizeBytes, int access, long id);

  static native long createEvents0(long context);

  static native int eventsDescriptor0(long events);

  static native long takeEvents0(long events);

  static native long awaitEvent0(long events, int timeoutMs);

  static native long createCompletions0(long context, int depth, long events);

  static native long arm0(long completions);

  static native long createSharedReceives0(long domain, int depth);

  static native long createPair0(
      long domain,
      int type,
      long sendCompletions,
      long receiveCompletions,
      long shared,
      int sendDepth,
      int receiveDepth,
      int inlineBytes,
      long[] given);

  static native long initialise0(long pair, boolean datagram, int port, int partition, int rights);

  static native long route0(long pair, boolean reliable, long[] route, byte[] gid, long[] options);

  static native long start0(long pair, boolean reliable, long[] options);

  static native long activate0(long pair, int sendPsn);

  static native long abort0(long pair);

  static native long reset0(long pair);

  static native long createAddress0(long domain, long[] route, byte[] gid);

  static native int send0(long pair, boolean datagram, long records, int count);

  static native int receive0(long pair, long records, int count);

  static native int receiveShared0(long shared, long records, int count);

  static native int poll0(long completions, long records, int most);
}
