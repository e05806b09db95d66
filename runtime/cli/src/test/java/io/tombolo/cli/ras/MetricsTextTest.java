// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import io.tombolo.cli.ras.RankHealth.Condition;
import org.testng.annotations.Test;

/** Names and form are a promise to those who scrape them. */
public class MetricsTextTest {
  private static final String TEXT =
      """
      # HELP tombolo_job_well 1 if the job has not failed and no rank is ended, stopped or silent, else 0.
      # TYPE tombolo_job_well gauge
      tombolo_job_well 0
      # HELP tombolo_job_look_timestamp_seconds When the job was last looked at, in seconds since 1970.
      # TYPE tombolo_job_look_timestamp_seconds gauge
      tombolo_job_look_timestamp_seconds 1700000000.025
      # HELP tombolo_job_ranks Ranks by how they are.
      # TYPE tombolo_job_ranks gauge
      tombolo_job_ranks{condition="ended"} 0
      tombolo_job_ranks{condition="stopped"} 1
      tombolo_job_ranks{condition="silent"} 0
      tombolo_job_ranks{condition="joining"} 0
      tombolo_job_ranks{condition="unwatched"} 0
      tombolo_job_ranks{condition="alive"} 1
      # HELP tombolo_rank_well 0 if the rank is ended, stopped or silent, else 1.
      # TYPE tombolo_rank_well gauge
      tombolo_rank_well{rank="1",vendor="host",host="a \\"b\\" \\\\ c\\nd 1"} 0
      tombolo_rank_well{rank="0",vendor="emu-amd",host="node1"} 1
      # HELP tombolo_rank_calls_total Calls that the rank had made by its last beat, in all its communicators.
      # TYPE tombolo_rank_calls_total counter
      tombolo_rank_calls_total{rank="1",vendor="host",host="a \\"b\\" \\\\ c\\nd 1"} 7
      tombolo_rank_calls_total{rank="0",vendor="emu-amd",host="node1"} 5000000000
      """;

  private static RankHealth rank(
      int rank, String vendor, String host, Condition condition, long calls) {
    return new RankHealth(rank, vendor, "", host, "", condition, calls, 0);
  }

  @Test
  public void shouldSayHowTheJobIsInPrometheusFormat() {
    JobHealth health =
        new JobHealth(
            false,
            1000,
            ImmutableList.of(),
            ImmutableList.of(
                rank(1, "host", "a \"b\" \\ c\nd 1", Condition.STOPPED, 7),
                rank(0, "emu-amd", "node1", Condition.ALIVE, 5_000_000_000L)));
    assertEquals(MetricsText.of(health, 1_700_000_000_025L), TEXT);
  }
}
