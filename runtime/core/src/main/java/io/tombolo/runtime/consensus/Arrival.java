// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.CorruptException;
import java.util.List;

/**
 * A rank has come to agree. In the store it is text: {@code 3 -1 true}.
 *
 * @param rank who, by its rank in the job
 * @param flags what it brings
 * @param seesStore whether the job's store answers it
 */
record Arrival(int rank, long flags, boolean seesStore) {

  String text() {
    return rank + " " + flags + " " + seesStore;
  }

  static Arrival parse(String text) {
    List<String> words = Splitter.on(' ').splitToList(text);
    Integer rank = words.size() == 3 ? Ints.tryParse(words.get(0)) : null;
    Long flags = words.size() == 3 ? Longs.tryParse(words.get(1)) : null;
    if (rank == null || flags == null || rank < 0) {
      throw new CorruptException("'" + text + "' stands in an acceptor where an arrival should");
    }
    return new Arrival(rank, flags, words.get(2).equals("true"));
  }
}
