// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableTable;
import com.google.common.collect.Iterables;
import com.google.common.collect.Table;
import com.google.common.collect.Tables;
import io.tombolo.base.Availability;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Compiles kernels in this process, with the library that a row names. No device is needed, but
 * where a compiler has to know the architecture and is not told, it asks for the current device's.
 * Thread-safe; a compilation takes about a second.
 */
public final class KernelCompiler {
  /** What {@link #checksum} calls its kernel. */
  public static final String CHECKSUM = "tombolo_crc32c";

  private static final String[] NONE = {};

  /** Made once: the names are wanted at every launch. */
  private static final ImmutableTable<ReduceOp, DataType, String> NAMES =
      Arrays.stream(ReduceOp.values())
          .flatMap(
              op ->
                  Arrays.stream(DataType.values())
                      .map(type -> Tables.immutableCell(op, type, named(op, type))))
          .collect(
              ImmutableTable.toImmutableTable(
                  Table.Cell::getRowKey, Table.Cell::getColumnKey, Table.Cell::getValue));

  private final CompilerDialect dialect;

  /** The compiler of that row; it is opened when it is first asked for something. */
  public KernelCompiler(CompilerDialect dialect) {
    this.dialect = dialect;
  }

  /** The source of this project's reductions, the same for every compiler. */
  public static String reductions() {
    return source("reduce.cu");
  }

  /** The source of its checksum, whose kernel is called {@link #CHECKSUM}. */
  public static String checksum() {
    return source("crc32c.cu");
  }

  private static String source(String name) {
    try (InputStream source = KernelCompiler.class.getResourceAsStream(name)) {
      return new String(source.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read from this program's own jar", e);
    }
  }

  /**
   * What {@link #reductions} calls the kernel for {@code op} and {@code type}; a partial average is
   * a sum.
   */
  public static String nameOf(ReduceOp op, DataType type) {
    return NAMES.get(op, type);
  }

  private static String named(ReduceOp op, DataType type) {
    ReduceOp step = op == ReduceOp.AVG ? ReduceOp.SUM : op;
    return "tombolo_" + step.text() + "_" + type.text();
  }

  /** Whether the library opens here. */
  public Availability availability() {
    try {
      int version = DeviceLibrary.compilerVersion(libraries(), symbols());
      return new Availability.Available(
          "%s %s.%s".formatted(dialect.name(), version >> 16, version & 0xffff));
    } catch (TomboloException e) {
      return new Availability.Missing(
          dialect.name() + " cannot be used here: " + e.getMessage(), dialect.fix());
    }
  }

  /**
   * Compiles {@code source}; the result is for the runtime of the same vendor.
   *
   * @param options more of them, in the compiler's own words
   * @throws VendorException with the compiler's log, if it refuses the source
   * @throws io.tombolo.base.errors.UnavailableException if there is no compiler
   */
  public byte[] compile(String source, ImmutableList<String> options) {
    return DeviceLibrary.compile(
        libraries(),
        dialect.loaded().toArray(NONE),
        symbols(),
        source,
        Iterables.toArray(Iterables.concat(dialect.options(), options), String.class));
  }

  private String[] libraries() {
    return dialect.libraries().toArray(NONE);
  }

  private String[] symbols() {
    return dialect.symbols().toArray(NONE);
  }
}
