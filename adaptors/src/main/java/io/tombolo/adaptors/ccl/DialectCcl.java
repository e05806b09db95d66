// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.Availability;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;

/**
 * A collective library that speaks one of the {@link CclDialect}s. Thread-safe.
 *
 * <p>{@link #join} calls the library and may block for ever, as the library does when a member
 * never comes: call it on a thread that can be left behind.
 */
public final class DialectCcl implements CclAdaptor {
  private final CclDialect dialect;
  private final CclLibrary library;
  private final OnDevice device;

  private DialectCcl(CclDialect dialect, CclLibrary library, OnDevice device) {
    this.dialect = dialect;
    this.library = library;
    this.device = device;
  }

  /**
   * Opens the library of {@code dialect}.
   *
   * @param device made current on the calling thread before the library is asked to use it
   * @throws UnavailableException if the library is not there or lacks what the row declares
   */
  public static DialectCcl open(CclDialect dialect, OnDevice device) {
    return new DialectCcl(dialect, CclLibrary.open(dialect), device);
  }

  /**
   * Exports what the library of {@code dialect} reads with {@code getenv}, unless the process has
   * it loaded already. {@link #open} does so too; who opens other libraries before calls this
   * first.
   */
  public static void exportEnvironment(CclDialect dialect) {
    CclLibrary.exportEnvironment(dialect.source());
  }

  /** Whether the library of {@code dialect} can be opened here; if it can, it stays loaded. */
  public static Availability probe(CclDialect dialect) {
    try (DialectCcl ccl = open(dialect, OnDevice.NONE)) {
      return new Availability.Available(ccl.version());
    } catch (UnavailableException | VendorException e) {
      String fix = OpenFiles.ranOut(e) ? OpenFiles.help() : dialect.fix();
      return new Availability.Missing(e.getMessage(), fix);
    }
  }

  @Override
  public Capabilities capabilities() {
    return library.capabilities();
  }

  /**
   * {@code major.minor.patch}; only the product's name where the library does not tell. Versions
   * are coded as {@code major × 10000 + minor × 100 + patch}, and up to 2.8 with a thousand for the
   * ten thousand ({@code NCCL_VERSION} in nccl.h, which the others took over).
   */
  @Override
  public String version() {
    if (Entry.GET_VERSION.symbol(dialect).isEmpty()) {
      return dialect.product();
    }
    int[] version = new int[1];
    check(CclNative.version0(library.handle(), version), "asking for the version");
    int major = version[0] < 10_000 ? 1000 : 10_000;
    return version[0] / major + "." + version[0] % major / 100 + "." + version[0] % 100;
  }

  @Override
  public byte[] newUniqueId() {
    byte[] id = new byte[dialect.shape().idBytes()];
    long before = device.bind();
    try {
      check(CclNative.uniqueId0(library.handle(), id), "making a unique id");
    } finally {
      device.unbind(before);
    }
    return id;
  }

  @Override
  public CclCommunicator join(byte[] uniqueId, int rank, int size) {
    if (uniqueId.length != dialect.shape().idBytes()) {
      throw new UsageException(
          "a unique id of "
              + dialect.product()
              + " has "
              + dialect.shape().idBytes()
              + " bytes, not "
              + uniqueId.length);
    }
    if (rank < 0 || rank >= size) {
      throw new UsageException("rank " + rank + " of " + size + ": ranks count from 0");
    }
    long before = device.bind();
    try {
      long communicator = joined(uniqueId, rank, size);
      return new DialectCommunicator(dialect, library, device, communicator, rank, size);
    } finally {
      device.unbind(before);
    }
  }

  /** The communicator's handle; if joining fails after all, it is given up. */
  private long joined(byte[] uniqueId, int rank, int size) {
    long[] made = new long[1];
    int code = CclNative.join0(library.handle(), uniqueId, rank, size, currentDevice(), made);
    try {
      check(code, "joining as rank " + rank + " of " + size);
      if (made[0] == 0) {
        throw new VendorException(
            dialect.product() + " reported success and gave no communicator",
            dialect.numbers().success());
      }
      if (dialect.namesSegments()) {
        settle(made[0]);
        NamedSegments.forget(ProcessHandle.current().pid());
      }
      return made[0];
    } catch (RuntimeException e) {
      giveUp(made[0], e);
      throw e;
    }
  }

  /** Destroying would wait for the others; a library that cannot abort keeps what it has made. */
  private void giveUp(long communicator, RuntimeException cause) {
    if (communicator == 0) {
      return;
    }
    if (!capabilities().has(Capabilities.Flag.ABORT)) {
      CclNative.close0(communicator);
      return;
    }
    try {
      check(CclNative.abort0(communicator), "aborting what could not be joined");
    } catch (VendorException e) {
      cause.addSuppressed(e);
    }
  }

  /** What the device runtime reports is not the library's to word. */
  private int currentDevice() {
    Optional<String> call = Entry.CURRENT_DEVICE.symbol(dialect);
    if (call.isEmpty()) {
      return 0;
    }
    int[] current = new int[1];
    int code = CclNative.currentDevice0(library.handle(), current);
    if (code != 0) {
      throw new VendorException(
          "%s: its device runtime's %s failed, with a code of that runtime; is a device current on this thread?"
              .formatted(dialect.product(), call.get()),
          code);
    }
    return current[0];
  }

  @Override
  public DeviceMemory allocate(long sizeBytes) {
    if (!capabilities().has(Capabilities.Flag.REGISTERED_BUFFERS)) {
      throw new UnsupportedException(
          dialect.product() + " is not declared to do registered buffers");
    }
    if (sizeBytes <= 0) {
      throw new UsageException("registered memory of " + sizeBytes + " bytes");
    }
    long before = device.bind();
    try {
      return LibraryMemory.allocate(library, device, sizeBytes);
    } finally {
      device.unbind(before);
    }
  }

  /**
   * One small all-reduce: afterwards every member has finished joining, and so has mapped what it
   * needs.
   */
  private void settle(long communicator) {
    try (NativeMemory element = NativeMemory.allocate(Integer.BYTES)) {
      long address = element.address();
      int code =
          CclNative.collective0(
              communicator,
              Entry.ALL_REDUCE.place(),
              address,
              address,
              1,
              dialect.numbers().of(DataType.I32),
              dialect.numbers().of(ReduceOp.SUM),
              0,
              0);
      library.check(code, communicator, "the first all_reduce");
    }
  }

  /** Lets go of the library; communicators made from it stay usable. */
  @Override
  public void close() {
    library.close();
  }

  private void check(int code, String call) {
    library.check(code, library.handle(), call);
  }
}
