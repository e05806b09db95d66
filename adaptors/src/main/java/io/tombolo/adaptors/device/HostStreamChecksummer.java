// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.NativeMemory;
import java.util.zip.CRC32C;

/** The processor's checksums as work of a {@link HostStream}. */
final class HostStreamChecksummer implements DeviceChecksummer {
  /** What a buffer of Java can show at once, by far. */
  private static final long VIEW_BYTES = 1 << 30;

  @Override
  public void checksumAsync(long result, long address, long sizeBytes, Stream stream) {
    checkArgument(sizeBytes >= 0, "%s bytes", sizeBytes);
    HostDevice.streamOf(stream)
        .enqueueMemoryWork(
            sizeBytes,
            () ->
                NativeMemory.viewOf(result, RESULT_BYTES).putInt(0, checksum(address, sizeBytes)));
  }

  private static int checksum(long address, long sizeBytes) {
    CRC32C crc = new CRC32C();
    for (long done = 0; done < sizeBytes; done += VIEW_BYTES) {
      int length = (int) Math.min(VIEW_BYTES, sizeBytes - done);
      crc.update(NativeMemory.viewOf(address + done, length));
    }
    return (int) crc.getValue();
  }

  /** Nothing to do: the processor has no kernels. */
  @Override
  public void close() {}
}
