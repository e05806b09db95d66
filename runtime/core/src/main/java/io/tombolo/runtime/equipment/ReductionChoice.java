// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Vendor;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.plan.Reach;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where a rank combines elements, by the setting {@code reduce}: {@code host}, {@code
 * device}, or {@code auto}, which means the device if it is a real accelerator with a compiler, for
 * all but small pieces.
 *
 * @param reluctance why {@code auto} does not even ask the device, if it does not
 * @param reducing whether the device reduces
 * @param maker compiles its kernels
 */
public record ReductionChoice(
    Optional<String> reluctance, Supplier<Availability> reducing, Supplier<DeviceReducer> maker) {
  /** The setting. */
  static final String SETTING = JobEnvironment.REDUCE;

  private static final Logger LOG = LoggerFactory.getLogger(ReductionChoice.class);

  /**
   * In the time of a launch and the event behind it, about 10 µs, the host combines about so much.
   * An estimate, not yet measured on a GPU.
   */
  public static final long WORTH_A_LAUNCH_BYTES = 64 << 10;

  /** What {@code device} of {@code vendor} can choose from. */
  static ReductionChoice of(Vendor vendor, DeviceAdaptor device) {
    return new ReductionChoice(reluctance(vendor), device::reducing, device::newReducer);
  }

  /** Why {@code auto} does not even ask devices of {@code vendor}, if it does not. */
  public static Optional<String> reluctance(Vendor vendor) {
    if (vendor.provenance() == Vendor.Provenance.EMULATED) {
      return Optional.of("an emulated device's kernels are the host's work too");
    }
    return vendor.devices().isEmpty() ? Optional.of("the device is the host") : Optional.empty();
  }

  /**
   * From how many bytes on devices of {@code vendor} combine by {@code setting}, where what its row
   * names is installed and works; {@link Reach#NEVER} where the host does it all. No device is
   * asked.
   */
  public static long deviceFromBytes(Vendor vendor, String setting) {
    if (vendor.compiler().isEmpty() || setting.equals("host")) {
      return Reach.NEVER;
    }
    if (setting.equals("device")) {
      return 0;
    }
    return vendor.provenance() == Vendor.Provenance.EMULATED ? Reach.NEVER : WORTH_A_LAUNCH_BYTES;
  }

  /**
   * What is chosen.
   *
   * @throws UnavailableException if {@code device} is asked for, and cannot be had
   * @throws UsageException naming the variable, if {@code setting} is none of the three
   */
  Reductions by(String setting) {
    return switch (setting) {
      case "host" -> Reductions.onHost(variable() + "=host");
      case "device" -> forced();
      case "auto" -> reluctance.map(Reductions::onHost).orElseGet(this::ifPossible);
      default ->
          throw new UsageException(
              variable() + " is '" + setting + "'; it must be 'auto', 'device' or 'host'");
    };
  }

  private Reductions forced() {
    try {
      return onDevice(0);
    } catch (TomboloException e) {
      throw new UnavailableException(
          variable()
              + "=device, but the device does not reduce: "
              + e.getMessage()
              + "; or leave it to "
              + variable()
              + "=auto",
          e);
    }
  }

  private Reductions ifPossible() {
    if (reducing.get() instanceof Availability.Missing why) {
      return Reductions.onHost(why.cause());
    }
    try {
      return onDevice(WORTH_A_LAUNCH_BYTES);
    } catch (TomboloException e) {
      LOG.warn("reductions are the host's: {}", e.getMessage());
      return Reductions.onHost(e.getMessage().lines().findFirst().orElse("no kernels"));
    }
  }

  private Reductions onDevice(long fromBytes) {
    DeviceReducer reducer = maker.get();
    return Reductions.onDevice(reducer, version(reducing.get()), fromBytes);
  }

  /** The version of {@code compiler}, in words. */
  public static String version(Availability compiler) {
    return compiler instanceof Availability.Available known ? known.version() : "no version";
  }

  private static String variable() {
    return JobEnvironment.variableOf(SETTING);
  }
}
