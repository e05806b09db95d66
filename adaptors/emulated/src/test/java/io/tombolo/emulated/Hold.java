// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.Constant;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.device.Fact;
import io.tombolo.adaptors.device.GaudiDialect;
import io.tombolo.adaptors.device.KunlunxinDialect;
import io.tombolo.adaptors.device.Role;
import io.tombolo.adaptors.device.RuntimeCallShape;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Holds streams until a word has its value: by the device itself, or, where its streams cannot
 * wait, by what its emulation has for tests and its vendor has not.
 */
final class Hold implements AutoCloseable {
  private static final ImmutableMap<String, DeviceSource> HOLDERS =
      ImmutableMap.of(
          "emu-gaudi", EmulatedLibrary.GAUDI.devices(waiting(GaudiDialect.SYNAPSE_AI)),
          "emu-kunlunxin-xre", EmulatedLibrary.XRE.devices(waiting(KunlunxinDialect.XRE)));

  private static final int MAX_TRIED = 64;
  private static final Duration SOON = Duration.ofMillis(200);

  private final DeviceAdaptor held;
  private final DeviceAdaptor holder;

  private Hold(DeviceAdaptor held, DeviceAdaptor holder) {
    this.held = held;
    this.holder = holder;
  }

  /** Holds streams of {@code device}, which is {@code name}'s. */
  static Hold of(String name, DeviceAdaptor device) {
    return new Hold(device, device.isHostOrdered() ? HOLDERS.get(name).open(0) : device);
  }

  /** A word to hold streams by, 0; making it may wait for all work of the device. */
  LongCell word() {
    return holder.newWords(1).get(0);
  }

  /** Queues a wait of {@code stream} until the {@link #word} at {@code address} has the value. */
  void at(Stream stream, long address, long value) {
    if (holder.equals(held)) {
      held.waitValueAsync(stream, address, value);
      return;
    }
    try (Stream same = holder.streamOf(stream.nativeHandle())) {
      holder.waitValueAsync(same, address, value);
    }
  }

  /**
   * A new stream of another hardware queue than {@code stream}'s, which nobody tells: one that goes
   * on while that one is held.
   */
  Stream streamBeside(Stream stream) {
    List<Stream> others = new ArrayList<>();
    try (DeviceMemory block = held.allocate(Long.BYTES);
        Event passed = held.newEvent()) {
      held.fillAsync(block.address(), (byte) 0, Long.BYTES, stream); // the first one may allocate
      TestDevices.finish(stream);
      LongCell word = word();
      for (long turn = 1; others.size() < MAX_TRIED; turn++) {
        Stream other = held.newStream();
        word.setRelease(turn - 1);
        at(stream, word.address(), turn);
        held.fillAsync(block.address(), (byte) 0, Long.BYTES, other);
        passed.record(other);
        boolean free = isSoon(passed);
        word.setRelease(turn);
        TestDevices.finish(stream);
        TestDevices.finish(other);
        if (free) {
          return other;
        }
        others.add(other);
      }
    } finally {
      others.forEach(Stream::close);
    }
    throw new AssertionError("none of " + MAX_TRIED + " streams goes on while another is held");
  }

  private static boolean isSoon(Event event) {
    Deadline deadline = Deadline.after(SOON);
    while (!event.isDone() && !deadline.isExpired()) {
      LockSupport.parkNanos(20_000);
    }
    return event.isDone();
  }

  /** The same library by CUDA's calls for words, which the emulation adds. */
  private static DeviceDialect waiting(DeviceDialect row) {
    return new DeviceDialect(
        row.name() + " that waits",
        row.libraries(),
        ImmutableMap.<Role, String>builder()
            .putAll(row.symbols())
            .put(Role.WAIT_VALUE, "emuStreamWaitValue64")
            .put(Role.WRITE_VALUE, "emuStreamWriteValue64")
            .buildOrThrow(),
        ImmutableSet.copyOf(
            Sets.difference(row.shapes(), ImmutableSet.of(RuntimeCallShape.HOST_ORDERED))),
        row.safeWhileHeld(),
        ImmutableMap.<Constant, Fact>builder()
            .putAll(row.constants())
            .put(Constant.WAIT_AT_LEAST, new Fact("", 0))
            .put(Constant.WRITE_PLAIN, new Fact("", 0))
            .buildOrThrow(),
        row.compiler(),
        row.witness(),
        row.fix(),
        row.source());
  }

  @Override
  public void close() {
    if (!holder.equals(held)) {
      holder.close();
    }
  }
}
