// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.topology.Topology;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Ranks as text, which is short where they follow each other: {@code 0,4-9}. */
final class RankRanges {
  private RankRanges() {}

  static String encode(Collection<Integer> ranks) {
    Rising rising = new Rising();
    ranks.stream().mapToInt(Integer::intValue).sorted().distinct().forEach(rising::add);
    return rising.text();
  }

  /** Such a text of ranks that come one by one, each higher than the one before. */
  static final class Rising {
    private final StringBuilder runs = new StringBuilder();
    private int first = -1;
    private int last = -1;

    void add(int rank) {
      if (first < 0 || rank != last + 1) {
        end();
        first = rank;
      }
      last = rank;
    }

    private void end() {
      if (first >= 0) {
        runs.append(runs.length() == 0 ? "" : ",").append(first);
        if (last > first) {
          runs.append('-').append(last);
        }
      }
      first = -1;
    }

    /** The text, when the last rank has come. */
    String text() {
      end();
      return runs.toString();
    }
  }

  /**
   * The ranks, at most as many as a job has; a {@link CorruptException} if that is no such text.
   */
  static List<Integer> decode(String text) {
    return Splitter.on(',')
        .splitToStream(text)
        .map(run -> Splitter.on('-').splitToList(run))
        .flatMapToInt(ends -> run(text, ends))
        .limit(Topology.MAX_RANKS)
        .boxed()
        .toList();
  }

  private static IntStream run(String text, List<String> ends) {
    Integer first = Ints.tryParse(ends.get(0));
    Integer last = Ints.tryParse(ends.get(ends.size() - 1));
    if (ends.size() > 2
        || first == null
        || last == null
        || first < 0
        || last < first
        || last >= Topology.MAX_RANKS) {
      throw new CorruptException("'" + text + "' stands in the store where ranks should");
    }
    return IntStream.rangeClosed(first, last);
  }
}
