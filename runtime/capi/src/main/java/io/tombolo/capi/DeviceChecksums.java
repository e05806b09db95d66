// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Availability;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checksums of device memory that are there when calls return: only they come to the host.
 * Thread-safe.
 */
final class DeviceChecksums implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceChecksums.class);

  private final DeviceAdaptor device;
  private final StreamPatience patience;

  /** Held while something is opened, so that it is opened once. */
  private final ReentrantLock opening = new ReentrantLock();

  /** Held by whose checksum it is, as there is one place for results. Fair: calls have limits. */
  private final ReentrantLock turn = new ReentrantLock(true);

  /** Guarded by this, as {@code marks} are; nobody waits for anything in here. */
  private final CloseStack opened = new CloseStack();

  /** Those that no call has: to make one beside streams that are held may wait for these. */
  private final Deque<Event> marks = new ArrayDeque<>();

  private DeviceChecksummer checksummer;
  private DeviceMemory result;
  private DeviceMemory pinned;
  private Stream stream;

  /** Whether a checksum was queued, and nobody has seen since then that the stream is idle. */
  private boolean underWay;

  private Optional<String> lacking = Optional.empty();

  /** Those of {@code device}'s memory; the first one opens what they need. */
  DeviceChecksums(DeviceAdaptor device, StreamPatience patience) {
    this.device = device;
    this.patience = patience;
  }

  /**
   * The CRC-32C of {@code bytes} at {@code address}.
   *
   * @throws UnsupportedException if the device runs no kernels
   * @throws UsageException if the runtime says that this is no memory of the device: a kernel that
   *     reads such may end all of the process's work there
   */
  int of(long address, long bytes) {
    return of(address, bytes, OptionalLong.empty(), patience.timeout());
  }

  /**
   * Likewise, once all is done that is queued by now on the caller's stream {@code after}, if there
   * is one; within {@code timeout} altogether, also if others are at it, but for what this call
   * itself opens as the first one.
   *
   * @throws UsageException also if no work can wait for that stream
   */
  int of(long address, long bytes, OptionalLong after, Duration timeout) {
    Deadline deadline = openedBy(Deadline.after(timeout), bytes);
    if (bytes > 0) {
      device.objection(address).ifPresent(why -> refuse(address, bytes, why));
    }
    after.ifPresent(handle -> awaitCallers(handle, address, bytes, deadline));
    return sum(address, bytes, deadline);
  }

  /**
   * The host waits, and not our stream: all that comes after would wait there as well, for a stream
   * that may be nobody's business but one caller's.
   */
  private void awaitCallers(long handle, long address, long bytes, Deadline deadline) {
    Event mark = takeMark();
    try (Stream callers = device.streamOf(handle)) {
      device
          .objection(callers)
          .ifPresent(why -> refuse(address, bytes, "after a stream that " + why));
      if (callers.isCapturing()) {
        refuse(address, bytes, "after a stream that is being captured into a graph");
      }
      mark.record(callers);
      patience.awaitPassed(mark, "a checksum", bytes, deadline);
    } finally {
      giveBack(mark);
    }
  }

  private Event takeMark() {
    Event free = freeMark();
    return free == null ? kept(device.newEvent()) : free;
  }

  private synchronized Event freeMark() {
    return marks.poll();
  }

  private synchronized void giveBack(Event mark) {
    marks.push(mark);
  }

  private int sum(long address, long bytes, Deadline deadline) {
    patience.awaitTurn(turn, "a checksum", bytes, deadline);
    try {
      underWay = true;
      checksummer.checksumAsync(result.address(), address, bytes, stream);
      device.copyAsync(
          CopyDirection.DEVICE_TO_HOST,
          pinned.address(),
          result.address(),
          DeviceChecksummer.RESULT_BYTES,
          stream);
      patience.awaitIdle(stream, "a checksum", bytes, deadline);
      underWay = false;
      return NativeMemory.viewOf(pinned.address(), DeviceChecksummer.RESULT_BYTES).getInt(0);
    } finally {
      turn.unlock();
    }
  }

  /** {@code deadline}, and as much longer as this call takes to open what all need. */
  private Deadline openedBy(Deadline deadline, long bytes) {
    patience.awaitTurn(opening, "a checksum", bytes, deadline);
    try {
      if (stream != null) {
        return deadline;
      }
      long beforeNs = deadline.elapsedNs();
      open();
      long tookNs = deadline.elapsedNs() - beforeNs;
      return deadline.stretchedTo(Duration.ofNanos(deadline.budgetNs() + tookNs));
    } finally {
      opening.unlock();
    }
  }

  /** If the device has no memory left for one of these, the next call goes on from there. */
  private void open() {
    lacking.ifPresent(this::refuse);
    if (checksummer == null) {
      DeviceChecksummer made = made();
      AutoCloseable unused = kept(() -> closeUnlessTainted(made));
      checksummer = made;
    }
    if (result == null) {
      result = kept(device.allocate(DeviceChecksummer.RESULT_BYTES));
    }
    if (pinned == null) {
      pinned = kept(device.allocatePinned(DeviceChecksummer.RESULT_BYTES));
    }
    if (stream == null) {
      stream = kept(device.newUrgentStream()); // its queue is not one of streams that are held
    }
  }

  private synchronized <T extends AutoCloseable> T kept(T made) {
    return opened.opened(made);
  }

  /** Where it is refused once, it is not tried again: compiling takes a second. */
  private DeviceChecksummer made() {
    try {
      Optional<DeviceChecksummer> made = device.newChecksummer();
      if (made.isPresent()) {
        return made.get();
      }
      lacking = Optional.of(reason());
    } catch (VendorException e) {
      LOG.warn(
          "{}: its compiler or driver refuses the checksum, so the processor computes it: {}",
          patience.who(),
          e.getMessage());
      lacking = Optional.of(e.getMessage());
    }
    throw unsupported(lacking.get());
  }

  private String reason() {
    return device.reducing() instanceof Availability.Missing missing
        ? missing.cause() + "; " + missing.fix()
        : "it runs no kernels";
  }

  private void refuse(String why) {
    throw unsupported(why);
  }

  private void refuse(long address, long bytes, String why) {
    throw new UsageException(
        "%s: a checksum of %s bytes at 0x%x, %s".formatted(patience.who(), bytes, address, why));
  }

  private UnsupportedException unsupported(String why) {
    return new UnsupportedException(
        "%s: the device computes no checksums (%s); commit without one, and the processor does"
            .formatted(patience.who(), why));
  }

  /** Taking kernels off a device waits for its work, which may never end then. */
  private void closeUnlessTainted(DeviceChecksummer made) {
    if (!device.isTainted()) {
      made.close();
    }
  }

  /** Whether the device is done with all of them, also with those that nobody waits for. */
  boolean isDone() {
    turn.lock();
    try {
      return !underWay || stream.isIdle();
    } catch (TomboloException e) {
      LOG.debug("{}: it does not say whether a checksum is done", patience.who(), e);
      return false;
    } finally {
      turn.unlock();
    }
  }

  /** What the device is not done with stays open: to close that would wait for it, or spoil it. */
  @Override
  public void close() {
    boolean isDone = isDone(); // which waits for who has the turn, so not within the monitor
    synchronized (this) {
      if (!isDone) {
        LOG.warn(
            "{}: a checksum that came too late is still not done, so what it uses stays",
            patience.who());
        opened.keep();
      }
      opened.close();
    }
  }
}
