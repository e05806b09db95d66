// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import io.tombolo.base.NativeLibrary;

/**
 * The door to {@code libtombolo_device}. Handles are (index, generation) pairs: a closed one gives
 * an {@link IllegalStateException}, closing twice is harmless. Every call that reaches the vendor
 * makes its device current on the calling thread first, and turns the vendor's errors into
 * exceptions.
 */
final class DeviceLibrary {
  static {
    NativeLibrary.load(DeviceLibrary.class, "tombolo_device");
  }

  private DeviceLibrary() {}

  /**
   * Opens a row and initialises the runtime; the result is never closed, as runtimes cannot be
   * unloaded.
   */
  static native long load(
      String[] libraries,
      String[] roles,
      String[] symbols,
      String[] constants,
      long[] values,
      int shapes,
      long refused);

  /** This thread makes a round from now on: what is {@code refused} of a row is refused. */
  static native void enterRound();

  static native void leaveRound();

  static native int version(long runtime);

  static native int deviceCount(long runtime);

  /** Whether anybody in this process has opened the device, as far as the runtime tells. */
  static native boolean isOpen(long runtime, int ordinal);

  static native long openDevice(long runtime, int ordinal);

  static native void closeDevice(long device);

  /** What was current before, for the next one; 0 where nothing changes. */
  static native long bindThread(long device);

  static native void unbindThread(long device, long before);

  /** True once for each device of this process, however often it is opened. */
  static native boolean takeFirstWarning(long device);

  /** This and the next two look at a device without opening it. */
  static native String deviceName(long runtime, int ordinal);

  static native String pciBusId(long runtime, int ordinal);

  static native long totalMemory(long runtime, int ordinal);

  static native void flush(long device);

  /** Whether the device's runtime has the calls for the next two. */
  static native boolean knowsPeers(long device);

  static native boolean canAccessPeer(long device, int ordinal);

  /** Lets {@code device} use the memory of {@code peer}, an open device of the same runtime. */
  static native void enablePeer(long device, long peer);

  static native long allocate(long device, long sizeBytes);

  /** Whether the device's runtime has the call for the next one. */
  static native boolean allocatesSignals(long device);

  /** The host's address of a word, contents undefined, that streams wait for; it stays for good. */
  static native long allocateSignal(long device);

  /** Whether the device's runtime has the call for the next one. */
  static native boolean allocatesManaged(long device);

  static native long allocateManaged(long device, long sizeBytes);

  static native long allocatePinned(long device, long sizeBytes);

  static native long registerHost(long device, long address, long sizeBytes);

  static native long address(long memory);

  static native void closeMemory(long memory);

  static native byte[] exportIpc(long memory);

  /** Whether the device's runtime has the call for the next one. */
  static native boolean exportsDmaBuf(long device);

  /** A descriptor of the first {@code sizeBytes} of device memory, whole pages. */
  static native int exportDmaBuf(long memory, long sizeBytes);

  static native long openIpc(long device, byte[] handle);

  /** {@code urgent}: of the greatest priority, where the runtime has priorities. */
  static native long newStream(long device, boolean urgent);

  static native long streamOf(long device, long nativeHandle);

  /** The vendor's handle of it, as it was made; no call of the vendor's. */
  static native long nativeStream(long stream);

  /**
   * Asks again for {@code patienceNs} while there is work left, and yields in between; 0 asks once.
   * False, too, once the stream is closed meanwhile.
   */
  static native boolean isIdle(long stream, long patienceNs);

  /** False where the runtime has no call for this. */
  static native boolean isCapturing(long stream);

  /**
   * Where memory is that the caller brings: the ordinal of its device, or one of the {@link
   * ForeignMemory}'s numbers.
   */
  static native int placeOf(long device, long address);

  /** Whether it is of the context of its device; true where the runtime does not tell. */
  static native boolean isOfContext(long stream);

  static native void waitEvent(long stream, long event);

  static native void closeStream(long stream);

  /** {@code awaited}: streams may wait for it, too. */
  static native long newEvent(long device, boolean awaited);

  static native void record(long event, long stream);

  static native boolean isDone(long event);

  static native void closeEvent(long event);

  /** {@code direction}: 0 host to device, 1 device to host, 2 device to device. */
  static native void copy(
      long stream, int direction, long destination, long source, long sizeBytes);

  static native void fill(long stream, long destination, byte value, long sizeBytes);

  static native void waitValue(long stream, long address, long value);

  static native void writeValue(long stream, long address, long value);

  /** Opens a gate at which no stream waits, of those that count their turns; without a lock. */
  static native void tryGate(long device);

  /** Whether the device's runtime has the call for the next one. */
  static native boolean callsHost(long device);

  /** {@code function} throws nothing; it runs on a thread of the vendor's. */
  static native void callHost(long stream, Runnable function);

  /** The major version times 65536 and the minor one; {@code symbols} as {@link #compile}'s. */
  static native int compilerVersion(String[] libraries, String[] symbols);

  /**
   * {@code symbols}: those of {@link CompilerDialect#symbols}, in that order; {@code loaded}: as
   * {@link CompilerDialect#loaded}.
   */
  static native byte[] compile(
      String[] libraries, String[] loaded, String[] symbols, String source, String[] options);

  /** Whether the runtime has the calls for kernels. */
  static native boolean runsModules(long runtime);

  static native long loadModule(long device, byte[] code);

  static native void closeModule(long module);

  /**
   * Looks the kernel up, which may wait for all work of the device. It is closed before its module.
   */
  static native long kernel(long module, String name);

  static native void closeKernel(long kernel);

  /** Launches a kernel whose arguments are three addresses and a count of elements, not 0. */
  static native void launch(long stream, long kernel, long destination, long a, long b, long count);

  /** Launches a kernel whose arguments are two addresses and a count of bytes, not 0. */
  static native void launchChecksum(
      long stream, long kernel, long result, long address, long sizeBytes);

  /**
   * What the runtime says of the device's ability, by the vendor's number of it; -1 if the library
   * has no call for it.
   */
  static native int attribute(long device, int ability);
}
