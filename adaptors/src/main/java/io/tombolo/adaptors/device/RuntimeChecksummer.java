// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.Stream;

/** The kernel that was compiled for a {@link RuntimeDevice}, and loaded into it. */
final class RuntimeChecksummer implements DeviceChecksummer {
  private final long module;
  private final long kernel;

  RuntimeChecksummer(long device, byte[] code) {
    this.module = DeviceLibrary.loadModule(device, code);
    try {
      this.kernel = DeviceLibrary.kernel(module, KernelCompiler.CHECKSUM);
    } catch (RuntimeException e) {
      DeviceLibrary.closeModule(module);
      throw e;
    }
  }

  /** The kernel adds to what is there. Of no bytes the checksum is 0. */
  @Override
  public void checksumAsync(long result, long address, long sizeBytes, Stream stream) {
    checkArgument(sizeBytes >= 0, "%s bytes", sizeBytes);
    checkArgument(result % RESULT_BYTES == 0, "no place for a 32-bit number: %s", result);
    long queue = RuntimeStream.handleOf(stream);
    DeviceLibrary.fill(queue, result, (byte) 0, RESULT_BYTES);
    RuntimeStream.queued(stream);
    if (sizeBytes > 0) {
      DeviceLibrary.launchChecksum(queue, kernel, result, address, sizeBytes);
      RuntimeStream.queued(stream);
    }
  }

  @Override
  public void close() {
    DeviceLibrary.closeKernel(kernel);
    DeviceLibrary.closeModule(module);
  }
}
