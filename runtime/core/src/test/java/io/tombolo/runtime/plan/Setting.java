// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.runtime.plan.Worlds.Profile;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * All that a plan depends on, but for the sort of call.
 *
 * @param word a letter, its vendor, for each rank
 * @param relays who relays, by cluster
 * @param segmentBytes bytes of a segment
 * @param algorithm what every call takes that it serves
 * @param profile what the libraries declare
 * @param count elements of the call
 */
record Setting(
    String word,
    List<Relays> relays,
    long segmentBytes,
    Algorithm algorithm,
    Profile profile,
    long count) {
  /** Two elements of four bytes; a whole call. */
  private static final List<Long> SEGMENTS = List.of(8L, 1L << 20);

  /** Every setting of {@code word} with these relays. */
  static List<Setting> all(String word, List<Relays> relays) {
    List<Setting> all = new ArrayList<>();
    for (long segmentBytes : SEGMENTS) {
      for (Algorithm algorithm : Algorithm.values()) {
        for (Profile profile : Profile.values()) {
          for (long count : counts(word.length())) {
            all.add(new Setting(word, relays, segmentBytes, algorithm, profile, count));
          }
        }
      }
    }
    return all;
  }

  /** One of the settings of {@code word} with any relays; half the time all ranks relay. */
  static Setting any(String word, Clustering clustering, Random random) {
    List<List<Relays>> relays = Worlds.relays(clustering);
    int last = relays.size() - 1; // every member of every cluster
    List<Setting> all =
        all(word, relays.get(random.nextBoolean() ? last : random.nextInt(relays.size())));
    return all.get(random.nextInt(all.size()));
  }

  /** Nothing, one, about as many as there are ranks, and more than divides evenly. */
  static long[] counts(int ranks) {
    return LongStream.of(0, 1, ranks - 1, ranks, ranks + 1, 61).distinct().toArray();
  }

  PlanContext context(Clustering clustering) {
    return Worlds.context(clustering, segmentBytes, algorithm, profile, relays);
  }
}
