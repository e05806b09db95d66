// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.NativeEnvironment;
import java.util.Optional;
import java.util.function.Function;

/**
 * How many hardware queues the streams of a device are to share, which its runtime reads from the
 * environment when somebody opens the device for the first time.
 *
 * @param variable where it reads that
 * @param wanted the value that a row presets
 */
public record HardwareQueues(String variable, int wanted) {
  /** CUDA's, "1 to 32, default is 8". */
  public static final String CUDA = "CUDA_DEVICE_MAX_CONNECTIONS";

  /** HIP's, "default 4". */
  public static final String HIP = "GPU_MAX_HW_QUEUES";

  private static final ImmutableSet<String> VARIABLES = ImmutableSet.of(CUDA, HIP);

  /** Those that {@code environment} presets, if it does. */
  public static Optional<HardwareQueues> of(LibraryEnvironment environment) {
    return environment.preset().entrySet().stream()
        .filter(preset -> VARIABLES.contains(preset.getKey()))
        .map(preset -> new HardwareQueues(preset.getKey(), Integer.parseInt(preset.getValue())))
        .findFirst();
  }

  /**
   * Those of {@code vendor} that nobody in this process has asked for. Its first use does, unless
   * somebody else has loaded its collective library.
   */
  public static Optional<HardwareQueues> unset(Vendor vendor) {
    return of(vendor.environment()).filter(queues -> !queues.isSet());
  }

  /**
   * Whether {@code device} does not have them, although they were {@linkplain #unset nobody's wish}
   * before it was opened: somebody else had opened it, or nobody asks for them yet.
   */
  public boolean isMissedBy(DeviceAdaptor device) {
    return device.wasOpen() || !isSet();
  }

  /** What to warn of where {@code device} misses them; empty if it was said in this process. */
  public Optional<String> warning(DeviceAdaptor device) {
    return device.takeFirstWarning()
        ? Optional.of(
            "%s was not set when the device was opened: streams share few hardware queues, in which"
                    .formatted(variable)
                + " one that waits for a call holds up the others; set %s before the program starts"
                    .formatted(assignment()))
        : Optional.empty();
  }

  private boolean isSet() {
    return NativeEnvironment.get(variable).isPresent();
  }

  /** What to set, as in a shell. */
  public String assignment() {
    return variable + "=" + wanted;
  }

  /**
   * What is to be said of a process that starts with {@code environment}: which queues its devices
   * get.
   */
  public String text(Function<String, Optional<String>> environment) {
    return environment
        .apply(variable)
        .map(set -> variable + " is " + set)
        .orElse(assignment() + " unless somebody else opens the device first");
  }

  /** What to do about it; empty if nothing. */
  public String fix(Function<String, Optional<String>> environment) {
    return environment
        .apply(variable)
        .filter(set -> !isEnough(set))
        .map(
            set ->
                "streams share few hardware queues, in which one that waits holds up the others:"
                    + " unset %s, or set %s".formatted(variable, assignment()))
        .orElse("");
  }

  private boolean isEnough(String set) {
    try {
      return Integer.parseInt(set.strip()) >= wanted;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
