// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.runtime.recorder.FlightHeader;
import io.tombolo.runtime.recorder.FlightRecord;
import io.tombolo.runtime.recorder.FlightState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Operations in the form that Perfetto and Chrome show: a process for each rank's, a track for each
 * communicator. Operations of one track overlap, so each is an async event, from the call to the
 * end; one without an end is still open.
 */
final class ChromeTrace {
  private static final double NS_PER_US = 1_000;

  private final JsonArray events = new JsonArray();
  private final Map<Recording.ProcessKey, Integer> processes = new HashMap<>();
  private int ids;

  private ChromeTrace() {}

  /** Writes what {@code groups} have to {@code file}. */
  static void write(Path file, List<GroupTrace> groups) {
    try {
      Files.writeString(file, new Gson().toJson(of(groups)));
    } catch (IOException e) {
      throw new ResourceException("cannot write " + file + ": " + e, e);
    }
  }

  static JsonObject of(List<GroupTrace> groups) {
    ChromeTrace trace = new ChromeTrace();
    for (GroupTrace group : groups) {
      group.ranks().forEach(rank -> trace.add(group.label(), rank.recording()));
    }
    JsonObject all = new JsonObject();
    all.add("traceEvents", trace.events);
    return all;
  }

  private void add(String group, Recording recording) {
    int process = process(recording);
    recording.log().collectives().forEach(each -> add(group, recording, process, each));
    recording.log().messages().forEach(each -> add(group + ", messages", recording, process, each));
  }

  /** Process ids of several hosts may be equal. */
  private int process(Recording recording) {
    Integer known = processes.get(recording.process());
    if (known != null) {
      return known;
    }
    FlightHeader header = recording.header();
    int number = processes.size();
    processes.put(recording.process(), number);
    JsonObject name = new JsonObject();
    name.addProperty(
        "name",
        "rank %s (%s, pid %s on %s)"
            .formatted(header.jobRank(), header.vendor(), header.process().pid(), header.host()));
    JsonObject event = event("process_name", "M", number);
    event.add("args", name);
    events.add(event);
    return number;
  }

  private void add(String track, Recording recording, int process, FlightRecord record) {
    int id = ++ids;
    JsonObject facts = new JsonObject();
    facts.addProperty("sequence", record.sequence());
    facts.addProperty("sizeBytes", record.sizeBytes());
    facts.addProperty("state", record.state().text());
    if (record.state() != FlightState.DONE) {
      record.step().ifPresent(step -> facts.addProperty("step", step.toString()));
    }
    JsonObject begin = event(record.call().toString(), "b", process);
    begin.add("args", facts);
    addAt(begin, track, id, recording.header().epochNs(record.submittedNs()));
    if (record.endedNs() != 0) {
      JsonObject end = event(record.call().toString(), "e", process);
      addAt(end, track, id, recording.header().epochNs(record.endedNs()));
    }
  }

  private void addAt(JsonObject event, String track, int id, long epochNs) {
    event.addProperty("cat", track);
    event.addProperty("id", id);
    event.addProperty("ts", epochNs / NS_PER_US);
    events.add(event);
  }

  private static JsonObject event(String name, String phase, int process) {
    JsonObject event = new JsonObject();
    event.addProperty("name", name);
    event.addProperty("ph", phase);
    event.addProperty("pid", process);
    event.addProperty("tid", 0);
    return event;
  }
}
