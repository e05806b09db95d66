// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.recorder.FlightStep;
import java.util.List;
import java.util.Optional;

/**
 * What the ranks' recordings say together, as JSON has it: the names of its members stay.
 *
 * @param folder where they lie
 * @param groups the communicators; that of all ranks first
 * @param leftOut files that are not among them
 */
record TraceSummary(String folder, List<GroupSummary> groups, List<LeftOut> leftOut) {

  /** A file that was left out. */
  record LeftOut(String file, String why) {
    String text() {
      return file + " was left out: " + why;
    }
  }

  /**
   * A communicator. Its ranks are numbered in it.
   *
   * @param findings what matters, in words, the most important first
   * @param missing collectives that ranks did not come to
   * @param mismatches the first collective that was not the same on all ranks, if there is one
   * @param lateness who came last most often; null where nobody was waited for
   * @param ranks those that have recorded
   * @param unseen those that have not
   */
  record GroupSummary(
      String group,
      int size,
      List<String> findings,
      List<Missing> missing,
      List<Mismatch> mismatches,
      Lateness lateness,
      List<RankSummary> ranks,
      List<Integer> unseen) {}

  /** A collective that {@code ranks} did not enter, and {@code entered} did. */
  record Missing(
      long sequence,
      String operation,
      long sizeBytes,
      List<Integer> ranks,
      List<Integer> entered) {}

  /** A collective that was not the same everywhere. */
  record Mismatch(long sequence, List<Side> sides) {}

  /** What {@code ranks} called. */
  record Side(String operation, long sizeBytes, List<Integer> ranks) {}

  /**
   * Who came last most often.
   *
   * @param last how many times
   * @param operations of how many
   * @param meanMs how long after the first, on average of all
   */
  record Lateness(int rank, long last, long operations, double meanMs) {}

  /**
   * A rank.
   *
   * @param state closed, failed, gone (its process, without a word), stopped (likewise, by a
   *     signal), running, or unknown (on another host)
   * @param cause of a failure
   * @param entered the number of its last collective
   * @param done the number of the last one that ended well
   * @param underWay what had not ended well when it stopped, or was looked at
   */
  record RankSummary(
      int rank,
      int jobRank,
      String vendor,
      String host,
      long pid,
      String state,
      String cause,
      long entered,
      long done,
      List<UnderWay> underWay,
      int torn,
      int damaged) {}

  /**
   * An operation; {@code kind} is collective or message, which are counted by themselves.
   *
   * @param step at which it stands; null where none is known
   */
  record UnderWay(
      String kind,
      long sequence,
      String operation,
      long sizeBytes,
      String state,
      long forMs,
      AtStep step) {
    String text() {
      String which = kind.equals("message") ? "message #" : "#";
      String where = step == null ? "" : ", " + step.text();
      return "%s (%s%s, %s bytes, %s ms%s)"
          .formatted(operation, which, sequence, sizeBytes, forMs, where);
    }
  }

  /**
   * The first step of a plan that has not ended.
   *
   * @param number from 0; {@code of} if all have ended
   * @param of how many steps the plan has
   * @param doing what the step does; null if all have ended
   * @param peer of a send or receive; else null
   * @param text all of it in words
   */
  record AtStep(int number, int of, String doing, Integer peer, String text) {
    static AtStep of(FlightStep step) {
      Optional<Resource> channel = step.at().filter(at -> at.kind().isChannel());
      return new AtStep(
          step.number(),
          step.of(),
          step.doing().orElse(null),
          channel.map(Resource::peer).orElse(null),
          step.toString());
    }
  }
}
