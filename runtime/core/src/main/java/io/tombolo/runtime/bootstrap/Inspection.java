// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One of the ranks whose time is up looks who is missing, and tells the others: if all looked, the
 * store would be asked about every rank by every rank.
 *
 * @param turnout what it saw
 * @param limit how long, as those that are missing have said, they may take
 */
record Inspection(Turnout turnout, Duration limit) {
  private static final String COUNT = "inspections";
  private static final String INSPECTOR = "inspector/";
  private static final String VERDICT = "verdict/";

  /** An inspector that says nothing for so long is taken for lost. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Three parts of a text, the lists separated by commas. */
  private static final char SEPARATOR = ';';

  /**
   * What is seen now; {@code rank} looks itself if nobody does.
   *
   * @param limitOf how long ranks have said that they may take
   */
  static Inspection of(
      Store room, GatherTree tree, int rank, Function<List<Integer>, Duration> limitOf) {
    Optional<byte[]> before = room.get(COUNT);
    int number = before.map(bytes -> number(new String(bytes, UTF_8))).orElse(0);
    byte[] mine = text(rank);
    if (!Arrays.equals(room.compareSet(INSPECTOR + number, new byte[0], mine), mine)) {
      try {
        return decode(room.await(VERDICT + number, Deadline.after(PATIENCE)));
      } catch (DeadlineExceededException e) {
        return look(room, tree, limitOf);
      }
    }
    Inspection seen = look(room, tree, limitOf);
    room.set(INSPECTOR + number, mine); // so that it is removed with this rank's keys
    room.set(VERDICT + number, seen.encode());
    room.set(COUNT, text(number + 1));
    return seen;
  }

  private static Inspection look(
      Store room, GatherTree tree, Function<List<Integer>, Duration> limitOf) {
    Turnout turnout = Turnout.of(room, tree);
    return new Inspection(turnout, limitOf.apply(turnout.missing()));
  }

  private byte[] encode() {
    Joiner commas = Joiner.on(',');
    return Joiner.on(SEPARATOR)
        .join(limit.toMillis(), commas.join(turnout.missing()), commas.join(turnout.held()))
        .getBytes(UTF_8);
  }

  private static Inspection decode(byte[] bytes) {
    List<String> parts = Splitter.on(SEPARATOR).splitToList(new String(bytes, UTF_8));
    Long limitMs = parts.size() == 3 ? Longs.tryParse(parts.get(0)) : null;
    if (limitMs == null || limitMs < 0) {
      throw new CorruptException("what was seen of missing ranks is no such thing in the store");
    }
    return new Inspection(
        new Turnout(numbers(parts.get(1)), numbers(parts.get(2))), Duration.ofMillis(limitMs));
  }

  private static ImmutableList<Integer> numbers(String text) {
    return Splitter.on(',')
        .omitEmptyStrings()
        .splitToStream(text)
        .map(Inspection::number)
        .collect(ImmutableList.toImmutableList());
  }

  private static int number(String text) {
    Integer number = Ints.tryParse(text);
    if (number == null || number < 0) {
      throw new CorruptException("'" + text + "' stands in the store where a number should");
    }
    return number;
  }

  private static byte[] text(int number) {
    return Integer.toString(number).getBytes(UTF_8);
  }
}
