// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceRuntime;
import io.tombolo.adaptors.device.Role;

/**
 * Captures streams of an emulated device into graphs: by the vendor's calls for that, which a row
 * puts in the place of those for words of memory.
 */
final class Captures implements AutoCloseable {
  private final DeviceAdaptor recorder;
  private final DeviceMemory graph;

  private Captures(DeviceDialect row, String library, String begin, String end) {
    ImmutableMap<Role, String> symbols =
        ImmutableMap.<Role, String>builder()
            .putAll(row.symbols())
            .put(Role.WRITE_VALUE, begin)
            .put(Role.WAIT_VALUE, end)
            .buildKeepingLast();
    recorder =
        DeviceRuntime.open(
                new DeviceDialect(
                    row.name() + " with captures",
                    ImmutableList.of(library),
                    symbols,
                    row.shapes(),
                    row.safeWhileHeld(),
                    row.constants(),
                    row.compiler(),
                    row.witness(),
                    row.fix(),
                    row.source()))
            .device(0);
    graph = recorder.allocatePinned(Long.BYTES);
  }

  /** Of any device of {@code vendor}, whose library is loaded. */
  static Captures of(String vendor) {
    return switch (vendor) {
      case "emu-nvidia" ->
          new Captures(
              DeviceDialects.CUDA,
              "libtombolo_emu_nvidia.so",
              "cuStreamBeginCapture_v2",
              "cuStreamEndCapture");
      case "emu-amd" ->
          new Captures(
              DeviceDialects.HIP,
              "libtombolo_emu_amd.so",
              "hipStreamBeginCapture",
              "hipStreamEndCapture");
      default -> throw new IllegalArgumentException(vendor);
    };
  }

  /** What a capture forbids, and whom; in the vendors' numbers. */
  enum Mode {
    GLOBAL(0),
    THREAD_LOCAL(1),
    RELAXED(2);

    private final int number;

    Mode(int number) {
      this.number = number;
    }
  }

  void begin(Stream stream, Mode mode) {
    try (Stream same = recorder.streamOf(stream.nativeHandle())) {
      recorder.writeValueAsync(same, mode.number, 0);
    }
  }

  /** Throws what the vendor says of a capture that was broken. */
  void end(Stream stream) {
    try (Stream same = recorder.streamOf(stream.nativeHandle())) {
      recorder.waitValueAsync(same, graph.address(), 0);
    }
  }

  @Override
  public void close() {
    graph.close();
    recorder.close();
  }
}
