// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.AscendDialect;
import io.tombolo.adaptors.device.CambriconDialect;
import io.tombolo.adaptors.device.Constant;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceRuntime;
import io.tombolo.adaptors.device.Fact;
import io.tombolo.adaptors.device.Role;

/**
 * Captures streams of an emulated device into graphs: by the vendor's calls for that, which a row
 * puts in the place of those for fills and copies, as their first two arguments are alike.
 */
final class Captures implements AutoCloseable {
  private final ImmutableList<Mode> modes;
  private final DeviceAdaptor recorder;
  private final DeviceMemory graph;

  private Captures(
      ImmutableList<Mode> modes, DeviceDialect row, String library, String begin, String end) {
    this.modes = modes;
    ImmutableMap<Role, String> symbols =
        ImmutableMap.<Role, String>builder()
            .putAll(row.symbols())
            .put(Role.FILL, begin)
            .put(Role.COPY_ON_DEVICE, end)
            .buildKeepingLast();
    recorder =
        DeviceRuntime.open(
                new DeviceDialect(
                    row.name() + " with captures",
                    ImmutableList.of(library),
                    symbols,
                    row.shapes(),
                    row.safeWhileHeld(),
                    blocking(row.constants()),
                    row.compiler(),
                    row.witness(),
                    row.fix(),
                    row.source()))
            .device(0);
    graph = recorder.allocatePinned(Long.BYTES);
  }

  /** With streams that the legacy default stream waits for. */
  private static ImmutableMap<Constant, Fact> blocking(ImmutableMap<Constant, Fact> constants) {
    return ImmutableMap.<Constant, Fact>builder()
        .putAll(constants)
        .put(Constant.STREAM_NON_BLOCKING, new Fact("", 0))
        .buildKeepingLast();
  }

  /** Of any device of {@code vendor}, whose library is loaded. */
  static Captures of(String vendor) {
    ImmutableList<Mode> all = ImmutableList.copyOf(Mode.values());
    return switch (vendor) {
      case "emu-nvidia" ->
          new Captures(
              all,
              DeviceDialects.CUDA,
              "libtombolo_emu_nvidia.so",
              "cuStreamBeginCapture_v2",
              "cuStreamEndCapture");
      case "emu-amd" ->
          new Captures(
              all,
              DeviceDialects.HIP,
              "libtombolo_emu_amd.so",
              "hipStreamBeginCapture",
              "hipStreamEndCapture");
      case "emu-cambricon" ->
          new Captures(
              ImmutableList.of(Mode.GLOBAL, Mode.GLOBAL, Mode.RELAXED), // no thread-local one
              CambriconDialect.CNRT,
              "libtombolo_emu_cambricon.so",
              "cnrtQueueBeginCapture",
              "cnrtQueueEndCapture");
      case "emu-ascend" ->
          new Captures(
              all,
              AscendDialect.ACL,
              "libtombolo_emu_ascend.so",
              "aclmdlRICaptureBegin",
              "aclmdlRICaptureEnd");
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

  /** Three, so that all ranks make as many calls: those that the vendor has. */
  ImmutableList<Mode> modes() {
    return modes;
  }

  /** Whether new streams are of {@code device}, not of another one of the vendor's. */
  boolean areOn(DeviceAdaptor device) {
    return recorder.properties().pciBusId().equals(device.properties().pciBusId());
  }

  /** One that the legacy default stream waits for, where there is that. */
  Stream newBlockingStream() {
    return recorder.newStream();
  }

  /** A fill's second argument is the value; in AscendCL, the size. */
  void begin(Stream stream, Mode mode) {
    try (Stream same = recorder.streamOf(stream.nativeHandle())) {
      recorder.fillAsync(stream.nativeHandle(), (byte) mode.number, mode.number, same);
    }
  }

  /**
   * Throws what the vendor says of a capture that was broken. A copy's second argument is the
   * source; in AscendCL, the size.
   */
  void end(Stream stream) {
    long into = graph.address();
    try (Stream same = recorder.streamOf(stream.nativeHandle())) {
      recorder.copyAsync(CopyDirection.DEVICE_TO_DEVICE, stream.nativeHandle(), into, into, same);
    }
  }

  @Override
  public void close() {
    graph.close();
    recorder.close();
  }
}
