// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * A list in a store that all watch: the names of places where something has failed, by number. Each
 * name is in it once, and stays until nobody needs it; so a job may have any number of groups that
 * fail, one after the other.
 *
 * <p>Entries that are over go from the oldest on, and the last few stay: who watches has read them
 * by then. Who has not goes on with the oldest that there is. For one thread, as a reader.
 */
final class News {
  private static final String ENTRY = "job/news/";

  /** The number of the oldest entry; none while that is 0. */
  private static final String OLDEST = "job/oldest-news";

  /** In place of a name that nobody needs. */
  private static final byte[] OVER = "-".getBytes(UTF_8);

  /** So many entries stay behind the newest one. */
  static final int KEPT = 8;

  private final Store store;
  private int next;

  News(Store store) {
    this.store = store;
  }

  /** Adds {@code name}, unless it is there. */
  void add(String name) {
    byte[] entry = name.getBytes(UTF_8);
    int number = oldest();
    while (true) {
      byte[] there = store.compareSet(ENTRY + number, new byte[0], entry);
      int oldest = oldest();
      if (number < oldest) { // the list went on, and this place is read no more
        if (Arrays.equals(there, entry)) {
          store.delete(ENTRY + number);
        }
        number = oldest;
      } else if (Arrays.equals(there, entry)) {
        return;
      } else {
        number++; // other news
      }
    }
  }

  /** {@code name} concerns nobody any more. */
  void retire(String name) {
    byte[] entry = name.getBytes(UTF_8);
    int oldest = oldest();
    int number = oldest;
    while (at(number).isPresent()) {
      Object unused = store.compareSet(ENTRY + number, entry, OVER);
      number++;
    }
    trim(oldest, number);
  }

  /** Removes what is over from {@code oldest} on, of a list that ends before {@code end}. */
  private void trim(int oldest, int end) {
    for (int number = oldest; number + KEPT < end && isOver(number); number++) {
      byte[] mine = text(number + 1);
      byte[] before = number == 0 ? new byte[0] : text(number);
      if (!Arrays.equals(store.compareSet(OLDEST, before, mine), mine)) {
        return; // another is at it
      }
      store.delete(ENTRY + number);
    }
  }

  private boolean isOver(int number) {
    return at(number).filter(there -> Arrays.equals(there, OVER)).isPresent();
  }

  /** The next name that this reader has not read, if one comes within {@code round}. */
  Optional<String> next(Duration round) {
    next = Math.max(next, oldest());
    try {
      byte[] entry = store.await(ENTRY + next, Deadline.after(round));
      next++;
      return Arrays.equals(entry, OVER) ? Optional.empty() : Optional.of(new String(entry, UTF_8));
    } catch (DeadlineExceededException e) {
      return Optional.empty();
    }
  }

  /** Removes the list. */
  void forget() {
    for (int number = oldest(); store.delete(ENTRY + number); number++) {}
    store.delete(OLDEST);
  }

  private Optional<byte[]> at(int number) {
    return store.get(ENTRY + number);
  }

  private int oldest() {
    return store.get(OLDEST).map(News::number).orElse(0);
  }

  private static byte[] text(int number) {
    return Integer.toString(number).getBytes(UTF_8);
  }

  private static int number(byte[] bytes) {
    Integer number = Ints.tryParse(new String(bytes, UTF_8));
    if (number == null || number < 0) {
      throw new CorruptException("the number of the oldest news is none in the store");
    }
    return number;
  }
}
