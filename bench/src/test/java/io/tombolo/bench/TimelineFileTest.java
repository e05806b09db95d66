// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.work.WorkSpan;
import io.tombolo.runtime.work.WorkStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.Test;

public class TimelineFileTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  @Test
  public void shouldShowTheSpansOfAllRanksInMicroseconds() throws IOException {
    Path file = Files.createTempFile("timeline", ".json");
    try (MemoryStore store = new MemoryStore()) {
      TimelineFile.write(file, List.of(trace(1, 7_000, 9_500)), store, 1, 2, LIMIT);
      TimelineFile.write(file, List.of(trace(0, 5_000, 6_000)), store, 0, 2, LIMIT);
      JsonObject trace = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      List<JsonObject> spans =
          trace.getAsJsonArray("traceEvents").asList().stream()
              .map(each -> each.getAsJsonObject())
              .filter(each -> each.get("ph").getAsString().equals("X"))
              .toList();
      assertEquals(spans.size(), 2);
      JsonObject second = spans.get(1);
      assertEquals(second.get("pid").getAsInt(), 1);
      assertEquals(
          second.get("tid").getAsInt(), List.of(WorkStage.values()).indexOf(WorkStage.VOTE));
      assertEquals(second.get("name").getAsString(), "8 B in place");
      assertEquals(second.get("ts").getAsDouble(), 7, 1e-9);
      assertEquals(second.get("dur").getAsDouble(), 2.5, 1e-9);
    } finally {
      Files.delete(file);
    }
  }

  @Test
  public void shouldNameEachLine() {
    JsonArray events = TimelineFile.eventsOf(List.of(trace(3, 0, 1)));
    String all = events.toString();
    assertTrue(all.contains("\"rank 3\"") && all.contains("\"vote\""), all);
    assertEquals(TimelineFile.eventsOf(List.of()).size(), 0);
  }

  @Test
  public void shouldSayWhereItCannotBeWritten() {
    try (MemoryStore store = new MemoryStore()) {
      Path nowhere = Path.of("/nowhere/timeline.json");
      assertThrows(
          UnavailableException.class,
          () -> TimelineFile.write(nowhere, List.of(), store, 0, 1, LIMIT));
    }
  }

  private static CallTrace trace(int rank, long fromNs, long toNs) {
    return new CallTrace(
        rank, "8 B in place", ImmutableList.of(new WorkSpan(WorkStage.VOTE, fromNs, toNs)));
  }
}
