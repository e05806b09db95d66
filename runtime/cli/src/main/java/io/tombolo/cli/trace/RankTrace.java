// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.cli.trace.TraceSummary.RankSummary;
import io.tombolo.cli.trace.TraceSummary.UnderWay;
import io.tombolo.runtime.recorder.FlightEnd;
import io.tombolo.runtime.recorder.FlightRecord;
import io.tombolo.runtime.recorder.FlightState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One rank's recording, as it is compared with the others'.
 *
 * @param recording the file
 * @param look what has become of its process
 * @param nowNs the time of looking, since 1970
 * @param collectives what is left of them, by number
 */
record RankTrace(
    Recording recording,
    ProcessLook look,
    long nowNs,
    ImmutableMap<Long, FlightRecord> collectives) {

  static RankTrace of(Recording recording, ProcessLook look, long nowNs) {
    return new RankTrace(
        recording,
        look,
        nowNs,
        Maps.uniqueIndex(recording.log().collectives(), FlightRecord::sequence));
  }

  int rank() {
    return recording.rank();
  }

  /** The number of its last collective; 0 if there was none. */
  long entered() {
    List<FlightRecord> all = recording.log().collectives();
    return all.isEmpty() ? 0 : all.get(all.size() - 1).sequence();
  }

  private long done() {
    return recording.log().collectives().stream()
        .filter(each -> each.state() == FlightState.DONE)
        .mapToLong(FlightRecord::sequence)
        .max()
        .orElse(0);
  }

  FlightEnd end() {
    return recording.log().end();
  }

  /** When it came to {@code collective}, since 1970. */
  long epochNs(FlightRecord collective) {
    return recording.header().epochNs(collective.submittedNs());
  }

  /** When it failed, since 1970; nothing if it has not. */
  Optional<Long> failedNs() {
    return end().kind() == FlightEnd.Kind.FAILED
        ? Optional.of(recording.header().epochNs(end().atNs()))
        : Optional.empty();
  }

  /** It has written nothing of an end, and its process is no more. */
  boolean isGone() {
    return end().kind() == FlightEnd.Kind.NONE && look == ProcessLook.GONE;
  }

  /** It may yet come to what the others have come to. */
  boolean mayCome() {
    return end().kind() == FlightEnd.Kind.NONE && look != ProcessLook.GONE;
  }

  private String state() {
    return switch (end().kind()) {
      case NONE -> look.name().toLowerCase(Locale.ROOT);
      case CLOSED -> "closed";
      case FAILED -> "failed";
    };
  }

  /** What had not ended well: collectives first, each kind in the order of the calls. */
  List<UnderWay> underWay() {
    return Stream.concat(
            pending("collective", recording.log().collectives()),
            pending("message", recording.log().messages()))
        .toList();
  }

  private Stream<UnderWay> pending(String kind, List<FlightRecord> records) {
    return records.stream()
        .filter(each -> each.state() != FlightState.DONE)
        .map(
            each ->
                new UnderWay(
                    kind,
                    each.sequence(),
                    each.call().toString(),
                    each.sizeBytes(),
                    each.state().text(),
                    TimeUnit.NANOSECONDS.toMillis(untilNs(each) - each.submittedNs()),
                    each.step().map(TraceSummary.AtStep::of).orElse(null)));
  }

  /** Of whom nothing more is known, at least until then. */
  private long untilNs(FlightRecord record) {
    if (record.endedNs() != 0) {
      return record.endedNs();
    }
    long aliveNs = nowNs - recording.header().epochNs(0);
    return mayCome() && look != ProcessLook.UNKNOWN ? aliveNs : lastNs();
  }

  private long lastNs() {
    return Stream.concat(
            recording.log().collectives().stream(), recording.log().messages().stream())
        .mapToLong(each -> Math.max(each.submittedNs(), Math.max(each.startedNs(), each.endedNs())))
        .max()
        .orElse(0);
  }

  RankSummary summary() {
    return new RankSummary(
        rank(),
        recording.header().jobRank(),
        recording.header().vendor(),
        recording.header().host(),
        recording.header().process().pid(),
        state(),
        end().cause(),
        entered(),
        done(),
        underWay(),
        recording.log().torn(),
        recording.log().damaged());
  }
}
