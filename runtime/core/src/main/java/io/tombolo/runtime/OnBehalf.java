// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;

/** What the first rank of a group does for all of them; the others hear what came of it. */
final class OnBehalf {
  private static final byte DONE = 1;
  private static final byte FAILED = 2;

  private OnBehalf() {}

  /**
   * What {@code deed} returns on the first rank; all ranks call this, and it blocks until that has
   * come and has done it.
   *
   * @param key where the word is left in {@code place}; the first rank removes it
   * @param limit how long the deed may take; the first rank may come as much later
   * @throws io.tombolo.base.errors.TomboloException as {@code deed} does, on all ranks
   */
  static String of(int rank, Store place, String key, Supplier<String> deed, Duration limit) {
    return rank == 0
        ? done(place, key, deed)
        : heard(place.await(key, Deadline.after(limit.multipliedBy(2))));
  }

  private static String done(Store place, String key, Supplier<String> deed) {
    try {
      String word = deed.get();
      place.set(key, withKind(DONE, word.getBytes(UTF_8)));
      return word;
    } catch (RuntimeException e) {
      place.set(key, withKind(FAILED, JobFailure.of(0, e).encode()));
      throw e;
    }
  }

  private static String heard(byte[] word) {
    byte[] text = Arrays.copyOfRange(word, Math.min(1, word.length), word.length);
    if (word.length > 0 && word[0] == DONE) {
      return new String(text, UTF_8);
    }
    throw JobFailure.decode(text).toException("");
  }

  private static byte[] withKind(byte kind, byte[] text) {
    byte[] word = new byte[text.length + 1];
    word[0] = kind;
    System.arraycopy(text, 0, word, 1, text.length);
    return word;
  }
}
