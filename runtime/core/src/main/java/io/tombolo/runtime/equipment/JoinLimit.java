// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;

/**
 * How long a rank may take to join: the setting {@code join_timeout_ms}. By itself it is the time
 * that any wait has; but a real vendor's driver and library may take minutes on a cold host with
 * many devices, so with them it is five minutes at least.
 */
public final class JoinLimit {
  /** The setting. */
  static final String SETTING = "join_timeout_ms";

  private static final Duration COLD = Duration.ofMinutes(5);

  private JoinLimit() {}

  /**
   * The limit of the rank that {@code environment} describes.
   *
   * @throws UsageException naming the variable, if it is no positive number; or the vendor, if
   *     nobody knows it
   */
  public static Duration of(JobEnvironment environment) {
    Vendor.Provenance provenance = Vendors.named(environment.vendor()).provenance();
    int ms = environment.number(SETTING, Math.toIntExact(usual(environment, provenance)));
    if (ms == 0) {
      throw new UsageException(JobEnvironment.variableOf(SETTING) + " must be positive");
    }
    return Duration.ofMillis(ms);
  }

  private static long usual(JobEnvironment environment, Vendor.Provenance provenance) {
    long any = Math.min(environment.timeout().toMillis(), Integer.MAX_VALUE);
    return switch (provenance) {
      case REAL -> Math.max(any, COLD.toMillis());
      case EMULATED, OWN -> any;
    };
  }
}
