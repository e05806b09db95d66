// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.HostId;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.wire.Welcome;
import java.util.Optional;

/**
 * A volume's memory, mapped into this process where it can be: once for reading, so that a stray
 * write there hurts nobody, and once more if this process puts something.
 */
final class VolumeMemory implements AutoCloseable {
  private final Welcome welcome;
  private final boolean reachable;
  private Optional<NativeMemory> readable = Optional.empty();
  private Optional<NativeMemory> writable = Optional.empty();

  private VolumeMemory(Welcome welcome, boolean reachable) {
    this.welcome = welcome;
    this.reachable = reachable;
  }

  static VolumeMemory of(Welcome welcome, boolean wanted) {
    return new VolumeMemory(welcome, wanted && welcome.hostId().equals(HostId.local()));
  }

  /** Empty if its bytes must be asked for. */
  Optional<NativeMemory> readable() {
    if (reachable && readable.isEmpty()) {
      readable = MemoryFile.map(welcome.memory(), false);
    }
    return readable;
  }

  /** Empty if bytes must be sent to it. */
  Optional<NativeMemory> writable() {
    if (reachable && writable.isEmpty()) {
      writable = MemoryFile.map(welcome.memory(), true);
    }
    return writable;
  }

  /** Where {@code sizeBytes} begin that the volume says are at {@code offset} of its memory. */
  static long address(NativeMemory mapped, long offset, long sizeBytes) {
    if (offset < 0 || sizeBytes < 0 || offset > mapped.sizeBytes() - sizeBytes) {
      throw new CorruptException(
          "the volume says that %s bytes are at %s of its %s bytes"
              .formatted(sizeBytes, offset, mapped.sizeBytes()));
    }
    return mapped.address(offset, sizeBytes);
  }

  @Override
  public void close() {
    readable.ifPresent(NativeMemory::close);
    writable.ifPresent(NativeMemory::close);
  }
}
