// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.base.Availability;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A vendor's runtime, opened in this process. It stays open: runtimes cannot be unloaded.
 * Thread-safe.
 */
public final class DeviceRuntime {
  /** Where the library is installed, and finds nothing. */
  private static final String NO_DEVICE_FIX =
      "its library is installed, so look for the device: whether its kernel driver is loaded, whether"
          + " this user may open its files below /dev, and whether a variable hides it, as"
          + " CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES do";

  private final DeviceDialect dialect;
  private final long handle;

  private DeviceRuntime(DeviceDialect dialect, long handle) {
    this.dialect = dialect;
    this.handle = handle;
  }

  /** Opens the row's library; an {@link UnavailableException} says why it cannot, and the fix. */
  public static DeviceRuntime open(DeviceDialect dialect) {
    try {
      return load(dialect);
    } catch (TomboloException e) {
      throw new UnavailableException(cause(dialect, e) + "; " + fix(dialect, e), e);
    }
  }

  /** Whether the row's library opens here and has a device. */
  public static Availability availability(DeviceDialect dialect) {
    try {
      DeviceRuntime runtime = load(dialect);
      return runtime.deviceCount() > 0
          ? new Availability.Available(runtime.version())
          : new Availability.Missing("the " + dialect.name() + " finds no device", NO_DEVICE_FIX);
    } catch (TomboloException e) {
      return new Availability.Missing(cause(dialect, e), fix(dialect, e));
    }
  }

  /** A library that answers, if only with an error, need not be installed. */
  private static String fix(DeviceDialect dialect, TomboloException e) {
    if (OpenFiles.ranOut(e)) {
      return OpenFiles.help();
    }
    return e instanceof VendorException ? NO_DEVICE_FIX : dialect.fix();
  }

  /**
   * What the row's runtime says of each of its devices, by ordinal; nothing if it does not load.
   * Looking opens no device and costs no device memory.
   */
  public static ImmutableList<DeviceProperties> devices(DeviceDialect dialect) {
    if (!availability(dialect).isAvailable()) {
      return ImmutableList.of();
    }
    DeviceRuntime runtime = load(dialect);
    return IntStream.range(0, runtime.deviceCount())
        .mapToObj(runtime::properties)
        .collect(ImmutableList.toImmutableList());
  }

  /** Whether devices of the row's runtime reduce here; looking opens none. */
  public static Availability reducing(DeviceDialect dialect) {
    Availability runtime = availability(dialect);
    return runtime.isAvailable() ? load(dialect).reducing() : runtime;
  }

  /** Whether its devices reduce: it runs kernels, and here is a compiler for them. */
  Availability reducing() {
    return dialect
        .compiler()
        .filter(known -> DeviceLibrary.runsModules(handle))
        .map(compiler -> new KernelCompiler(compiler).availability())
        .orElseGet(
            () ->
                new Availability.Missing(
                    "the " + dialect.name() + " here runs no kernels of this program",
                    "nothing: reductions are the host's"));
  }

  private static DeviceRuntime load(DeviceDialect dialect) {
    Role[] roles = Role.values();
    Constant[] constants = Constant.values();
    return new DeviceRuntime(
        dialect,
        DeviceLibrary.load(
            dialect.libraries().toArray(String[]::new),
            names(roles),
            Arrays.stream(roles).map(dialect.symbols()::get).toArray(String[]::new),
            names(constants),
            Arrays.stream(constants)
                .mapToLong(
                    constant -> dialect.constants().getOrDefault(constant, Fact.unnamed(0)).value())
                .toArray(),
            dialect.shapeBits(),
            RoundCheck.isOn() ? dialect.refusedBits() : 0));
  }

  private static String cause(DeviceDialect dialect, TomboloException e) {
    return "the " + dialect.name() + " cannot be used here: " + e.getMessage();
  }

  /** The runtime's version as the number it gives. */
  public String version() {
    return dialect.name() + " " + versionNumber();
  }

  /** The number alone, in the vendor's own coding. */
  public int versionNumber() {
    return DeviceLibrary.version(handle);
  }

  /** Devices this process can open. */
  public int deviceCount() {
    return DeviceLibrary.deviceCount(handle);
  }

  /** Opens device {@code ordinal}. */
  public DeviceAdaptor device(int ordinal) {
    checkOrdinal(ordinal);
    boolean wasOpen = DeviceLibrary.isOpen(handle, ordinal);
    return new RuntimeDevice(
        this, dialect, properties(ordinal), openHandle(ordinal), ordinal, wasOpen);
  }

  void checkOrdinal(int ordinal) {
    int count = deviceCount();
    if (ordinal < 0 || ordinal >= count) {
      throw new UsageException(
          "no device " + ordinal + ": the " + dialect.name() + " has devices 0 to " + (count - 1));
    }
  }

  /** Device {@code ordinal}, opened for the shim. */
  long openHandle(int ordinal) {
    return DeviceLibrary.openDevice(handle, ordinal);
  }

  private DeviceProperties properties(int ordinal) {
    String name = DeviceLibrary.deviceName(handle, ordinal);
    return new DeviceProperties(
        name.isEmpty() ? dialect.name() + " device " + ordinal : name,
        DeviceLibrary.pciBusId(handle, ordinal).toLowerCase(Locale.ROOT),
        DeviceLibrary.totalMemory(handle, ordinal),
        version());
  }

  private static String[] names(Enum<?>[] words) {
    return Arrays.stream(words).map(Enum::name).toArray(String[]::new);
  }
}
