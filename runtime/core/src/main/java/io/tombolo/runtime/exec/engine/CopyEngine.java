// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.Packing;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Space;
import io.tombolo.runtime.plan.Step;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies between device and stage with the device's own engine, on a stream of ours; and has the
 * device see what NICs wrote.
 */
public final class CopyEngine implements Engine, AutoCloseable {
  private final DeviceAdaptor device;
  private final Stream stream;
  private final StreamMarks marks;
  private final AtomicLong stagedBytes = new AtomicLong();

  /** On {@code stream} of {@code device}, which stays the caller's. */
  public CopyEngine(DeviceAdaptor device, Stream stream) {
    this.device = device;
    this.stream = stream;
    this.marks = new StreamMarks(device, stream);
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    if (!marks.hasRoom()) {
      return false;
    }
    if (step.action() instanceof Action.Flush) {
      flush();
    } else {
      copy((Action.Copy) step.action(), binding);
    }
    marks.mark(step.id(), ended);
    return true;
  }

  /** What cannot be flushed no NIC has written: only the device itself. */
  private void flush() {
    if (device.flushesRemoteWrites()) {
      device.flushRemoteWrites();
    }
  }

  private void copy(Action.Copy copy, Binding binding) {
    if (copy.from().space() == Space.STAGE || copy.to().space() == Space.STAGE) {
      stagedBytes.addAndGet(binding.bytes(copy.from()));
    }
    device.copyAsync(
        direction(copy),
        binding.address(copy.to()),
        binding.address(copy.from()),
        binding.bytes(copy.from()),
        stream);
  }

  /** Bytes copied, or about to be, between device and stage. Thread-safe. */
  public long stagedBytes() {
    return stagedBytes.get();
  }

  /**
   * Copies callers' pieces into the shared buffer at {@code shared}, or out of it; {@code ended} is
   * told once, of all of them. False if there is no room now.
   */
  public boolean start(Iterable<Packing.Piece> pieces, long shared, boolean in, Ended ended) {
    if (!marks.hasRoom()) {
      return false;
    }
    for (Packing.Piece piece : pieces) {
      long ours = shared + piece.offset();
      device.copyAsync(
          CopyDirection.DEVICE_TO_DEVICE,
          in ? ours : piece.address(),
          in ? piece.address() : ours,
          piece.sizeBytes(),
          stream);
    }
    marks.mark(0, ended);
    return true;
  }

  private static CopyDirection direction(Action.Copy copy) {
    if (copy.from().space() == Space.STAGE) {
      return CopyDirection.HOST_TO_DEVICE;
    }
    return copy.to().space() == Space.STAGE
        ? CopyDirection.DEVICE_TO_HOST
        : CopyDirection.DEVICE_TO_DEVICE;
  }

  @Override
  public int poll() {
    return marks.poll();
  }

  @Override
  public void close() {
    marks.close();
  }
}
