// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The two forms of list in Slurm's variables: tasks per node, {@code 4(x2),3}, and hosts, {@code
 * node[001-004,7],rack[0-1]n[1-2],login1}. Source: Slurm's manuals of srun and scontrol (show
 * hostnames).
 */
final class SlurmLists {
  private static final Pattern TASKS = Pattern.compile("(\\d{1,9})(?:\\(x(\\d{1,9})\\))?");

  /** The first entry of a list: plain text and brackets, of which one name may have several. */
  private static final Pattern FIRST_ENTRY =
      Pattern.compile("((?:[^\\[\\],]|\\[[^\\[\\],-][^\\[\\]]*\\])+)(?:,.*)?");

  private static final Pattern ENTRY = Pattern.compile("(?:[^\\[\\],]|\\[[^\\]]*\\])+");

  /** A name with its first bracket taken apart. */
  private static final Pattern RANGES = Pattern.compile("([^\\[]*)\\[([^\\]]*)\\](.*)");

  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})-(\\d{1,9})");

  private static final Pattern BRACKET = Pattern.compile("\\[([^\\],-]+)[^\\]]*\\]");

  private SlurmLists() {}

  /** How many tasks node {@code index} has; empty if the list ends before it. */
  static Optional<Sourced<Integer>> tasks(Sourced<String> list, int index) {
    long nodes = 0;
    for (String part : Splitter.on(',').trimResults().split(list.value())) {
      Matcher tasks = TASKS.matcher(part);
      if (!tasks.matches()) {
        throw new UsageException(
            list.origin() + "=" + list.value() + " is not a list such as 4(x2),3");
      }
      nodes += tasks.group(2) == null ? 1 : Long.parseLong(tasks.group(2));
      if (index < nodes) {
        return Optional.of(new Sourced<>(Integer.parseInt(tasks.group(1)), list.origin()));
      }
    }
    return Optional.empty();
  }

  /** The first host of {@code list}. */
  static Sourced<String> firstHost(Sourced<String> list) {
    Matcher entry = FIRST_ENTRY.matcher(list.value());
    if (!entry.matches()) {
      throw new UsageException(
          list.origin() + "=" + list.value() + " is not a list of hosts such as node[1-4]");
    }
    String name = BRACKET.matcher(entry.group(1)).replaceAll("$1");
    return new Sourced<>(name, "the first of " + list.origin());
  }

  /** All hosts of {@code list}, in its order. */
  static Stream<String> hosts(String list) {
    return ENTRY.matcher(list).results().flatMap(entry -> names(entry.group()));
  }

  private static Stream<String> names(String entry) {
    Matcher ranges = RANGES.matcher(entry);
    return ranges.matches()
        ? Splitter.on(',')
            .splitToStream(ranges.group(2))
            .flatMap(SlurmLists::numbers)
            .flatMap(number -> names(ranges.group(1) + number + ranges.group(3)))
        : Stream.of(entry);
  }

  /** Numbers of a range are as wide as its first. */
  private static Stream<String> numbers(String item) {
    Matcher range = RANGE.matcher(item);
    return range.matches()
        ? IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
            .mapToObj(number -> Strings.padStart(String.valueOf(number), range.end(1), '0'))
        : Stream.of(item);
  }
}
