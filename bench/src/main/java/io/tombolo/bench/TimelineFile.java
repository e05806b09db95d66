// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.WorkSpan;
import io.tombolo.runtime.work.WorkStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Calls as a picture that Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev) show: a process
 * for each rank, in it a line for each stage. The format is Chrome's Trace Event Format: complete
 * events ({@code ph: X}), times in µs.
 */
final class TimelineFile {
  /** A line each, in this order. */
  private static final ImmutableList<WorkStage> LINES = ImmutableList.copyOf(WorkStage.values());

  private TimelineFile() {}

  /** Brings what all ranks have recorded to rank 0, through {@code store}, which writes it. */
  static void write(
      Path file, List<CallTrace> mine, Store store, int rank, int size, Duration timeout) {
    Store desk = store.within("bench-timeline");
    desk.set(Integer.toString(rank), eventsOf(mine).toString().getBytes(UTF_8));
    if (rank != 0) {
      return;
    }
    List<String> keys = IntStream.range(0, size).mapToObj(Integer::toString).toList();
    JsonArray all = new JsonArray();
    desk.awaitAll(keys, Deadline.after(timeout))
        .forEach(
            each -> all.addAll(JsonParser.parseString(new String(each, UTF_8)).getAsJsonArray()));
    keys.forEach(desk::delete);
    JsonObject trace = new JsonObject();
    trace.add("traceEvents", all);
    trace.addProperty("displayTimeUnit", "ns");
    try {
      Files.writeString(file, trace.toString());
    } catch (IOException e) {
      throw new UnavailableException(
          "the timeline cannot be written to %s: %s; name a file that can be"
              .formatted(file, e.getMessage()));
    }
  }

  /** The events of one rank's calls. */
  static JsonArray eventsOf(List<CallTrace> traces) {
    JsonArray events = new JsonArray();
    traces.stream().findFirst().ifPresent(first -> names(first.rank(), events));
    for (CallTrace trace : traces) {
      trace.spans().forEach(span -> events.add(event(trace, span)));
    }
    return events;
  }

  private static void names(int rank, JsonArray events) {
    events.add(name("process_name", rank, 0, "rank " + rank));
    for (int line = 0; line < LINES.size(); line++) {
      events.add(name("thread_name", rank, line, LINES.get(line).text()));
    }
  }

  private static JsonElement name(String what, int rank, int line, String name) {
    JsonObject event = placed(what, "M", rank, line);
    JsonObject value = new JsonObject();
    value.addProperty("name", name);
    event.add("args", value);
    return event;
  }

  private static JsonElement event(CallTrace trace, WorkSpan span) {
    JsonObject event = placed(trace.call(), "X", trace.rank(), LINES.indexOf(span.stage()));
    event.addProperty("cat", span.stage().text());
    event.addProperty("ts", span.fromNs() / 1e3);
    event.addProperty("dur", (span.toNs() - span.fromNs()) / 1e3);
    return event;
  }

  private static JsonObject placed(String name, String phase, int rank, int line) {
    JsonObject event = new JsonObject();
    event.addProperty("name", name);
    event.addProperty("ph", phase);
    event.addProperty("pid", rank);
    event.addProperty("tid", line);
    return event;
  }
}
