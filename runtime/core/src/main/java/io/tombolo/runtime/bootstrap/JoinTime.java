// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.primitives.Longs;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Collection;

/**
 * How long the ranks of a job wait for each other while they come together. Each says, before it
 * opens its device, how long its vendor may take; the others give it as long, even if their own
 * vendors are quicker. One that has said nothing is given no more than the waiting rank's own time.
 */
public final class JoinTime {
  private static final String ROOM = "join-time";

  private final Store room;
  private final Deadline own;

  private JoinTime(Store room, Deadline own) {
    this.room = room;
    this.own = own;
  }

  /** {@code rank} begins to come, and may take {@code limit} for it. */
  public static JoinTime begin(Store store, int rank, Duration limit) {
    Store room = store.within(ROOM);
    room.set(Integer.toString(rank), Long.toString(limit.toMillis()).getBytes(UTF_8));
    return new JoinTime(room, Deadline.after(limit));
  }

  /** When this rank's own time is up. */
  Deadline own() {
    return own;
  }

  /** The longest that one of {@code ranks} may take, as far as they have said by now. */
  Duration said(Collection<Integer> ranks) {
    return Duration.ofMillis(ranks.stream().mapToLong(this::said).max().orElse(0));
  }

  private long said(int rank) {
    return room.get(Integer.toString(rank)).map(bytes -> ms(bytes, rank)).orElse(0L);
  }

  private static long ms(byte[] bytes, int rank) {
    Long ms = Longs.tryParse(new String(bytes, UTF_8));
    if (ms == null || ms < 0) {
      throw new CorruptException("how long rank " + rank + " may take to join is no number");
    }
    return ms;
  }
}
