// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import java.util.Locale;

/** What carries bytes on a measured path. */
public enum PathKind {
  /** A device's copy engine, between its memory and pinned memory of its host. */
  COPY,
  /** A vendor's library, between the memories of two of its devices. */
  VENDOR,
  /** A fabric, between pinned memory of two ranks. */
  FABRIC;

  /** The name in JSON and in output: {@code fabric}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
