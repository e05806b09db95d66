// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.CellSpread;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.VendorException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The words that streams of a device wait for, in the memory that its runtime asks for. Pinned
 * memory will do for most; unless an attribute says so, it is tried. HIP documents that streams
 * wait for signal memory alone, 8 bytes for each allocation ({@code hip_runtime_api.h}, {@code
 * hipStreamWaitValue64} and {@code hipMallocSignalMemory}); host and device both write it. Some
 * APUs give none, and wait for pinned memory. Where neither will do, no stream is held.
 * Thread-safe.
 */
final class StreamWords {
  private static final Logger LOG = LoggerFactory.getLogger(StreamWords.class);

  private enum Kind {
    SIGNALS,
    PINNED,
    NONE
  }

  private final RuntimeDevice device;
  private final long handle;
  private final Abilities abilities;
  private final Optional<GateProbe> gates;
  private final Supplier<Kind> kind = Suppliers.memoize(this::find);

  /** Signals that nobody has used yet. */
  private final Queue<LongCell> spare = new ConcurrentLinkedQueue<>();

  /**
   * Of {@code device}, behind {@code handle}, which is said to have {@code abilities}; {@code
   * gates} where the shim opens gates for streams, and nobody says that the call does not wait.
   */
  StreamWords(RuntimeDevice device, long handle, Abilities abilities, Optional<GateProbe> gates) {
    this.device = device;
    this.handle = handle;
    this.abilities = abilities;
    this.gates = gates;
  }

  /** Whether there are any. The first time this may try, and wait for all work of the device. */
  boolean exist() {
    return kind.get() != Kind.NONE;
  }

  /** Whether each is an allocation of its own. */
  boolean areScarce() {
    return kind.get() == Kind.SIGNALS;
  }

  /** {@code count} words, all 0. */
  List<LongCell> make(int count) {
    return make(kind.get(), count);
  }

  private List<LongCell> make(Kind which, int count) {
    return switch (which) {
      case SIGNALS -> signals(count);
      case PINNED -> pinned(count);
      case NONE -> throw new UnsupportedException("streams of this device wait for no words");
    };
  }

  private Kind find() {
    if (!abilities.streamsWait()) {
      return Kind.NONE;
    }
    if (!DeviceLibrary.allocatesSignals(handle)) {
      return abilities.isSaidThatStreamsWait() && gates.isEmpty()
          ? Kind.PINNED
          : tried(Kind.PINNED);
    }
    try {
      spare.add(signal());
    } catch (VendorException e) {
      LOG.debug("no signal memory here, so streams may wait for pinned memory", e);
      return tried(Kind.PINNED);
    }
    return abilities.isSaidThatStreamsWait() ? Kind.SIGNALS : tried(Kind.SIGNALS);
  }

  /** Those that are had before one cannot be are for the next who asks. */
  private List<LongCell> signals(int count) {
    List<LongCell> made = new ArrayList<>(count);
    try {
      while (made.size() < count) {
        LongCell word = spare.poll();
        made.add(word == null ? signal() : word);
      }
      return ImmutableList.copyOf(made);
    } catch (RuntimeException e) {
      spare.addAll(made);
      throw e;
    }
  }

  private LongCell signal() {
    LongCell word = NativeMemory.cellAt(DeviceLibrary.allocateSignal(handle));
    word.setRelease(0);
    return word;
  }

  private List<LongCell> pinned(int count) {
    CellSpread spread = new CellSpread(count);
    NativeMemory memory = NativeMemory.allocate(spread.sizeBytes());
    try {
      device.register(memory.address(), memory.sizeBytes()); // for good
      return new SpreadWords(spread, memory::cell);
    } catch (UnsupportedException e) {
      LOG.debug("registered memory has a second address here, so words are of the device's", e);
      memory.close();
      return ofTheDevice(spread);
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  private List<LongCell> ofTheDevice(CellSpread spread) {
    long first = device.allocatePinned(spread.sizeBytes()).address(); // for good
    NativeMemory.fill(first, (byte) 0, spread.sizeBytes());
    return new SpreadWords(spread, offset -> NativeMemory.cellAt(first + offset));
  }

  private Kind tried(Kind which) {
    Optional<String> objection =
        gates.isPresent() ? gates.get().objection() : objectionToWords(which);
    objection.ifPresent(
        why ->
            LOG.warn(
                "no stream of {} is held by words of {} memory: calls on them return when they have"
                    + " ended: {}",
                device.place(),
                which == Kind.SIGNALS ? "signal" : "pinned",
                why));
    return objection.isEmpty() ? which : Kind.NONE;
  }

  private Optional<String> objectionToWords(Kind which) {
    List<LongCell> two = make(which, 2);
    return new WordProbe(device, two.get(0), two.get(1)).objection();
  }
}
