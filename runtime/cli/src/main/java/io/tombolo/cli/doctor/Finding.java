// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import io.tombolo.base.Availability;

/**
 * One thing that was looked at.
 *
 * @param topic what it is about: {@code host}, {@code limits}, {@code rdma}, {@code fabric}, {@code
 *     vendor}, {@code device}
 * @param name what was looked at
 * @param state how it is
 * @param value what was found
 * @param fix what would help; empty if nothing needs to
 */
record Finding(String topic, String name, State state, String value, String fix) {

  /** How a thing is. */
  enum State {
    /** As it should be. */
    GOOD,
    /** Works, but not as well as it could. */
    POOR,
    /** Not there. */
    MISSING
  }

  static Finding of(String topic, String name, Availability availability) {
    return availability instanceof Availability.Missing missing
        ? missing(topic, name, missing.cause(), missing.fix())
        : good(topic, name, ((Availability.Available) availability).version());
  }

  static Finding good(String topic, String name, String value) {
    return new Finding(topic, name, State.GOOD, value, "");
  }

  static Finding poor(String topic, String name, String value, String fix) {
    return new Finding(topic, name, State.POOR, value, fix);
  }

  static Finding missing(String topic, String name, String cause, String fix) {
    return new Finding(topic, name, State.MISSING, cause, fix);
  }
}
