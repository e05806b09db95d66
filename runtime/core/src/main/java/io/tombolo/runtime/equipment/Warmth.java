// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;

/**
 * Whether this process has made calls often enough for the JVM to have compiled them. That is a
 * property of the JVM, however many communicators it joins, and is kept with its others.
 */
public final class Warmth {
  /** The setting that says how long a cold process makes calls for practice. */
  static final String SETTING = "warm_up_ms";

  /** Set in a process that is warm. */
  public static final String PROPERTY = "tombolo.warm";

  private static final int USUAL_MS = 250;

  private Warmth() {}

  /** How long the rank in {@code environment} makes calls for practice at most; 0: not at all. */
  public static Duration limitOf(JobEnvironment environment) {
    return Duration.ofMillis(environment.number(SETTING, USUAL_MS));
  }

  /** Whether it is ready to: it may, and the process is cold. */
  static boolean isWanted(JobEnvironment environment) {
    return !limitOf(environment).isZero() && System.getProperty(PROPERTY) == null;
  }

  /** The process is warm from now on. */
  public static void reached() {
    System.setProperty(PROPERTY, "1");
  }
}
