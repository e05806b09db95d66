// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.CorruptException;
import java.util.List;

/** One entry of the {@link SurvivorLog}. In the store it is text: {@code came 3}. */
sealed interface ShrinkEvent {
  /** {@code rank} lives, and wants to go on. */
  record Came(int rank) implements ShrinkEvent {}

  /** {@code rank} is known to be in the job no more. */
  record Gone(int rank) implements ShrinkEvent {}

  /** Nobody is waited for any more: what follows counts for nothing. */
  record Closed() implements ShrinkEvent {}

  /** It as text. */
  default byte[] encode() {
    String text;
    if (this instanceof Came came) {
      text = "came " + came.rank();
    } else if (this instanceof Gone gone) {
      text = "gone " + gone.rank();
    } else {
      text = "closed";
    }
    return text.getBytes(UTF_8);
  }

  /** What {@code bytes} say; a {@link CorruptException} if that is nothing. */
  static ShrinkEvent decode(byte[] bytes) {
    String text = new String(bytes, UTF_8);
    List<String> words = Splitter.on(' ').splitToList(text);
    Integer rank = words.size() == 2 ? Ints.tryParse(words.get(1)) : null;
    if (rank != null && words.get(0).equals("came")) {
      return new Came(rank);
    }
    if (rank != null && words.get(0).equals("gone")) {
      return new Gone(rank);
    }
    if (text.equals("closed")) {
      return new Closed();
    }
    throw new CorruptException("'" + text + "' stands among the survivors in the store");
  }
}
