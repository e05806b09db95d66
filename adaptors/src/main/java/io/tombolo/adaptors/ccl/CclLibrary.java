// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.VendorException;
import java.util.stream.Stream;

/**
 * A vendor's library, opened by its row: the native handle and the judgement of result codes.
 * Thread-safe.
 */
final class CclLibrary implements AutoCloseable {
  private static final String[] NONE = {};

  private final CclDialect dialect;
  private final long handle;
  private final Capabilities capabilities;

  private CclLibrary(CclDialect dialect, long handle) {
    this.dialect = dialect;
    this.handle = handle;
    Capabilities present =
        dialect.capabilities().without(Entry.missing(CclNative.present0(handle)));
    this.capabilities = abortsSoundly() ? present : present.withoutFlag(Flag.ABORT);
  }

  /** Who cannot tell its version is taken for an old one. */
  private boolean abortsSoundly() {
    int[] version = new int[1];
    return dialect.abortsSince() == 0
        || (CclNative.version0(handle, version) == dialect.numbers().success()
            && version[0] >= dialect.abortsSince());
  }

  /**
   * Exports what the library will ask the environment for. A copy that the process has loaded
   * already has asked before, and its threads may be asking now: then nothing is touched.
   */
  static void exportEnvironment(LibrarySource source) {
    if (!CclNative.isLoaded0(source.libraries().toArray(NONE))) {
      source.environment().export();
    }
  }

  /** Opens the library; an {@link UnavailableException} says why it cannot be, and what to do. */
  static CclLibrary open(CclDialect dialect) {
    LibrarySource source = dialect.source();
    exportEnvironment(source);
    String[] problem = {""};
    long handle =
        CclNative.open0(
            source.libraries().toArray(NONE),
            source.dependencies().toArray(NONE),
            symbols(dialect),
            dialect.shape().code(),
            problem);
    if (handle == 0) {
      throw new UnavailableException(
          dialect.product() + " cannot be opened: " + problem[0] + "; " + dialect.fix());
    }
    return new CclLibrary(dialect, handle);
  }

  /**
   * What the row declares, and this version of the library has entry points for and does soundly.
   */
  Capabilities capabilities() {
    return capabilities;
  }

  /** The native handle; stale after {@link #close}. */
  long handle() {
    return handle;
  }

  /**
   * Throws unless {@code code} is success; {@code handle} is the library or communicator that
   * {@code call} used.
   */
  void check(int code, long usedHandle, String call) {
    if (code != dialect.numbers().success()) {
      String text = text(usedHandle, code);
      String said = text.isEmpty() ? "" : ": " + text + SharedDevice.advice(text);
      throw error(call + " failed" + said, code);
    }
  }

  /** The error {@code code} of this library, which {@code text} tells of. */
  VendorException error(String text, int code) {
    String message = dialect.product() + ": " + text;
    return dialect.numbers().ofOthers().contains(code)
        ? VendorException.ofAnotherMember(message, code)
        : new VendorException(message, code);
  }

  /** What the library says of {@code code}, possibly nothing. */
  String text(long usedHandle, int code) {
    String text = CclNative.text0(usedHandle, code);
    return text == null ? "" : text.strip();
  }

  /** Gives the handle back; the library itself stays loaded. Harmless the second time. */
  @Override
  public void close() {
    CclNative.close0(handle);
  }

  private static String[] symbols(CclDialect dialect) {
    return Stream.of(Entry.values())
        .map(entry -> entry.symbol(dialect).orElse(null))
        .toArray(String[]::new);
  }
}
