// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which algorithm serves which calls, as the user wants it: {@code
 * all_reduce:0-4k@doubling#all_gather@pieces}. The first rule that fits decides; where none does,
 * the planner chooses by cost.
 *
 * @param rules the rules in order
 */
public record AlgorithmRules(ImmutableList<Rule> rules) {
  /** No wishes. */
  public static final AlgorithmRules NONE = new AlgorithmRules(ImmutableList.of());

  private static final Pattern RULE =
      Pattern.compile("(?<op>[a-z_]+)(:(?<from>\\w+)-(?<to>\\w+))?@(?<algorithm>\\w+)");

  /**
   * Calls of {@code collective} whose vector or average block has from {@code fromBytes} to {@code
   * toBytes} bytes take {@code algorithm}.
   */
  public record Rule(Collective collective, long fromBytes, long toBytes, Algorithm algorithm) {
    private boolean fits(Collective asked, long sizeBytes) {
      return asked.even() == collective.even() && fromBytes <= sizeBytes && sizeBytes <= toBytes;
    }

    @Override
    public String toString() {
      String range = toBytes == Long.MAX_VALUE ? fromBytes + "-inf" : fromBytes + "-" + toBytes;
      return collective.text() + ":" + range + "@" + algorithm.text();
    }
  }

  /** Reads rules; a {@link UsageException} quotes the one it cannot read. */
  public static AlgorithmRules parse(String text) {
    return new AlgorithmRules(
        Splitter.on('#')
            .omitEmptyStrings()
            .trimResults()
            .splitToStream(text)
            .map(AlgorithmRules::rule)
            .collect(ImmutableList.toImmutableList()));
  }

  private static Rule rule(String text) {
    Matcher parts = RULE.matcher(text);
    if (!parts.matches()) {
      throw new UsageException(
          "'" + text + "' is no rule for algorithms; write one like all_reduce:0-4k@doubling");
    }
    String to = parts.group("to");
    Collective collective = Collective.parse(parts.group("op"));
    return new Rule(
        collective,
        parts.group("from") == null ? 0 : ByteSizes.parse(parts.group("from")),
        to == null || to.equals("inf") ? Long.MAX_VALUE : ByteSizes.parse(to),
        algorithm(collective, parts.group("algorithm"), text));
  }

  private static Algorithm algorithm(Collective collective, String name, String rule) {
    return Algorithm.of(collective.even()).stream()
        .filter(each -> each.text().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "'%s': %s has no algorithm called '%s'; choose one of %s"
                        .formatted(rule, collective.text(), name, names(collective))));
  }

  /** The algorithms of {@code collective}, for messages. */
  static String names(Collective collective) {
    return Algorithm.of(collective.even()).stream()
        .map(Algorithm::text)
        .collect(Collectors.joining(", "));
  }

  /** What the user wants for {@code collective} of {@code sizeBytes}. */
  public Optional<Algorithm> choose(Collective collective, long sizeBytes) {
    return rules.stream()
        .filter(rule -> rule.fits(collective, sizeBytes))
        .findFirst()
        .map(Rule::algorithm);
  }

  /** The rules as {@link #parse} reads them. */
  @Override
  public String toString() {
    return rules.stream().map(Rule::toString).collect(Collectors.joining("#"));
  }
}
