// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multimap;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.trace.TraceSummary.LeftOut;
import io.tombolo.runtime.recorder.FlightLog;
import io.tombolo.runtime.recorder.FlightRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the ranks of one run have recorded.
 *
 * @param run one file for each rank of each communicator
 * @param leftOut the others, and why
 */
record Recordings(ImmutableList<Recording> run, ImmutableList<LeftOut> leftOut) {

  /**
   * Reads {@code folder}, of which a run's ranks may still write to.
   *
   * @throws UsageException if there is no such folder
   * @throws UnavailableException if no rank has recorded anything there
   */
  static Recordings in(Path folder) {
    List<Recording> read = new ArrayList<>();
    List<LeftOut> leftOut = new ArrayList<>();
    for (Path path : files(folder)) {
      String name = path.getFileName().toString();
      try {
        read.add(new Recording(name, FlightLog.read(path)));
      } catch (TomboloException e) {
        leftOut.add(new LeftOut(name, e.getMessage()));
      }
    }
    if (read.isEmpty()) {
      throw new UnavailableException(
          "no rank has recorded anything in %s%s: run the job with TOMBOLO_RECORDER=%s"
              .formatted(
                  folder,
                  leftOut.isEmpty() ? "" : ", and " + leftOut.get(0).text(),
                  folder.toAbsolutePath()));
    }
    return latest(read, leftOut);
  }

  private static List<Path> files(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new UsageException(
          folder + " is no folder; give the one that TOMBOLO_RECORDER named for the job");
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(path -> path.toString().endsWith(FlightRecorder.SUFFIX)).sorted().toList();
    } catch (IOException e) {
      throw new UnavailableException("cannot read " + folder + ": " + e + "; is it yours?", e);
    }
  }

  /**
   * Of all that was ever recorded, what the newest file's process, those that it was in a
   * communicator with, and those that they were in one with have recorded.
   */
  static Recordings latest(List<Recording> all, List<LeftOut> unreadable) {
    List<Recording> newestFirst =
        all.stream()
            .sorted(Comparator.comparingLong((Recording each) -> -each.header().epochNs()))
            .toList();
    Multimap<Object, Recording> byKey = HashMultimap.create();
    newestFirst.forEach(
        each -> {
          byKey.put(each.communicator(), each);
          byKey.put(each.process(), each);
        });
    Set<Recording> run = reached(newestFirst.get(0), byKey);
    List<LeftOut> leftOut = new ArrayList<>(unreadable);
    Map<List<Object>, Recording> taken = new HashMap<>();
    for (Recording each : newestFirst) {
      if (!run.contains(each)) {
        leftOut.add(new LeftOut(each.file(), "it is of an earlier run"));
        continue;
      }
      Recording newer = taken.putIfAbsent(List.of(each.communicator(), each.rank()), each);
      if (newer != null) {
        leftOut.add(new LeftOut(each.file(), newer.file() + " is newer, of the same rank"));
      }
    }
    return new Recordings(
        ImmutableList.sortedCopyOf(
            Comparator.comparingLong((Recording each) -> each.header().epochNs()), taken.values()),
        ImmutableList.copyOf(leftOut));
  }

  private static Set<Recording> reached(Recording first, Multimap<Object, Recording> byKey) {
    Set<Recording> reached = new HashSet<>();
    Deque<Recording> next = new ArrayDeque<>(List.of(first));
    while (!next.isEmpty()) {
      Recording each = next.pop();
      if (reached.add(each)) {
        next.addAll(byKey.removeAll(each.communicator()));
        next.addAll(byKey.removeAll(each.process()));
      }
    }
    return reached;
  }
}
