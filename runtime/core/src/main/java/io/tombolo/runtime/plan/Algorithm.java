package io.tombolo.runtime.plan;

import java.util.Locale;

/** How data goes between clusters. */
public enum Algorithm {
  /** Through all relays, in pieces: moves the least. */
  PIECES,
  /** Through one relay of each cluster, whole, in one round: takes the fewest messages. */
  DIRECT;

  /** The name used in tuning lines and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
