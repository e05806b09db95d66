package io.tombolo.adaptors.ccl;

import io.tombolo.base.NativeLibrary;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.VendorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A vendor's library, opened by its row: the native handle and the judgement of result codes.
 * Thread-safe.
 */
final class CclLibrary implements AutoCloseable {
  private static final String[] NONE = {};

  private final CclDialect dialect;
  private final long handle;

  private CclLibrary(CclDialect dialect, long handle) {
    this.dialect = dialect;
    this.handle = handle;
  }

  /** Opens the library; an {@link UnavailableException} says why it cannot be, and what to do. */
  static CclLibrary open(CclDialect dialect) {
    if (dialect.source() instanceof LibrarySource.Loader loader) {
      return open(dialect, loader.names().toArray(NONE), NONE, NONE);
    }
    if (dialect.source() instanceof LibrarySource.Folder folder) {
      return open(dialect, folder);
    }
    return open(dialect, (LibrarySource.Packaged) dialect.source());
  }

  private static CclLibrary open(CclDialect dialect, LibrarySource.Folder source) {
    List<Path> missing =
        source.files().stream().filter(file -> !Files.isRegularFile(file)).toList();
    if (!missing.isEmpty()) {
      throw unavailable(dialect, "there is no " + missing.get(0));
    }
    Path folder = source.folder().toAbsolutePath();
    String[] dependencies =
        source.dependencies().stream()
            .map(name -> folder.resolve(name).toString())
            .toArray(String[]::new);
    String[] environment =
        source.environment().entrySet().stream()
            .flatMap(CclLibrary::nameAndValue)
            .toArray(String[]::new);
    return open(
        dialect,
        new String[] {folder.resolve(source.name()).toString()},
        dependencies,
        environment);
  }

  /** The name alone finds the copy that the device runtime in the same file may have loaded. */
  private static CclLibrary open(CclDialect dialect, LibrarySource.Packaged source) {
    Path file = NativeLibrary.extract(source.owner(), source.name());
    try {
      return open(
          dialect, new String[] {"lib" + source.name() + ".so", file.toString()}, NONE, NONE);
    } finally {
      delete(file);
    }
  }

  private static CclLibrary open(
      CclDialect dialect, String[] candidates, String[] dependencies, String[] environment) {
    String[] symbols =
        Stream.of(Entry.values())
            .map(entry -> entry.symbol(dialect).orElse(null))
            .toArray(String[]::new);
    String[] problem = {""};
    long handle =
        CclNative.open0(
            candidates, dependencies, environment, symbols, dialect.shape().code(), problem);
    if (handle == 0) {
      throw unavailable(dialect, problem[0]);
    }
    return new CclLibrary(dialect, handle);
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
      throw new VendorException(
          dialect.product() + ": " + call + " failed" + (text.isEmpty() ? "" : ": " + text), code);
    }
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

  private static Stream<String> nameAndValue(Map.Entry<String, String> variable) {
    return Stream.of(variable.getKey(), variable.getValue());
  }

  private static UnavailableException unavailable(CclDialect dialect, String why) {
    return new UnavailableException(
        dialect.product() + " cannot be opened: " + why + "; " + dialect.missingFix());
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit();
    }
  }
}
