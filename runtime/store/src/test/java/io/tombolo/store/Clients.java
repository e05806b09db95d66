// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertFalse;

import io.tombolo.base.Deadline;
import io.tombolo.store.value.VolumeFigures;
import java.time.Duration;

/** The clients that a volume has. */
public final class Clients {
  private static final Duration LONG = Duration.ofSeconds(60);

  private Clients() {}

  /** Asks a volume for its figures. */
  public interface Figures<E extends Exception> {
    /** What they are now. */
    VolumeFigures ask() throws E;
  }

  /** Waits until there are no more than {@code count}; what the volume has then. */
  public static <E extends Exception> VolumeFigures awaitOnly(int count, Figures<E> figures)
      throws E {
    Deadline deadline = Deadline.after(LONG);
    VolumeFigures now = figures.ask();
    while (now.clients() > count) {
      assertFalse(deadline.isExpired(), now.toString());
      now = figures.ask();
    }
    return now;
  }
}
