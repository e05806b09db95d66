// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import io.tombolo.cli.ras.RankHealth.Condition;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@link JobHealth} in Prometheus's text format 0.0.4. Pure. The names of the metrics stay;
 * docs/output.md has them.
 *
 * <p>Source: prometheus.io/docs/instrumenting/exposition_formats
 */
final class MetricsText {
  /** What it is for HTTP. */
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private MetricsText() {}

  /** {@code health} as it was seen at {@code epochMs}, in milliseconds since 1970. */
  static String of(JobHealth health, long epochMs) {
    return Stream.of(
            family(
                "tombolo_job_well",
                "gauge",
                "1 if the job has not failed and no rank is ended, stopped or silent, else 0.",
                List.of(" " + (health.isWell() ? 1 : 0))),
            family(
                "tombolo_job_look_timestamp_seconds",
                "gauge",
                "When the job was last looked at, in seconds since 1970.",
                List.of(" %d.%03d".formatted(epochMs / 1000, epochMs % 1000))),
            family("tombolo_job_ranks", "gauge", "Ranks by how they are.", byCondition(health)),
            family(
                "tombolo_rank_well",
                "gauge",
                "0 if the rank is ended, stopped or silent, else 1.",
                ofRanks(health, rank -> rank.condition().isBad() ? 0 : 1)),
            family(
                "tombolo_rank_calls_total",
                "counter",
                "Calls that the rank had made by its last beat, in all its communicators.",
                ofRanks(health, RankHealth::calls)))
        .collect(Collectors.joining());
  }

  private static String family(String name, String type, String help, Collection<String> samples) {
    return "# HELP %s %s\n# TYPE %s %s\n".formatted(name, help, name, type)
        + samples.stream().map(sample -> name + sample + "\n").collect(Collectors.joining());
  }

  private static List<String> byCondition(JobHealth health) {
    return Stream.of(Condition.values())
        .map(
            condition ->
                "{condition=\"%s\"} %d"
                    .formatted(
                        condition,
                        health.ranks().stream()
                            .filter(rank -> rank.condition() == condition)
                            .count()))
        .toList();
  }

  private static List<String> ofRanks(JobHealth health, ToLongFunction<RankHealth> value) {
    return health.ranks().stream()
        .map(
            rank ->
                "{rank=\"%d\",vendor=\"%s\",host=\"%s\"} %d"
                    .formatted(
                        rank.rank(),
                        escaped(rank.vendor()),
                        escaped(rank.host()),
                        value.applyAsLong(rank)))
        .toList();
  }

  /** The value of a label; a rank's words are not trusted to be one line. */
  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
