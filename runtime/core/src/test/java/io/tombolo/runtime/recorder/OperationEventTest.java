// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.OneRank;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.testng.annotations.Test;

/** What JDK Flight Recorder is told of operations. */
public class OperationEventTest {
  private static final String NAME = "io.tombolo.Operation";

  @Test(timeOut = 120_000)
  public void shouldRecordOperationsWhileSomebodyWantsThem() throws IOException {
    assertFalse(OperationEvents.areRecorded());
    Path file = Files.createTempFile("operations", ".jfr");
    try (OneRank rank = new OneRank();
        Recording recording = new Recording()) {
      rank.sum(8); // before anybody records
      recording.enable(NAME).withoutThreshold();
      recording.start();
      assertTrue(OperationEvents.areRecorded());
      rank.sum(1024);
      recording.stop();
      assertFalse(OperationEvents.areRecorded());
      rank.sum(16);
      recording.dump(file);
      List<RecordedEvent> events =
          RecordingFile.readAllEvents(file).stream()
              .filter(each -> each.getEventType().getName().equals(NAME))
              .toList();
      assertEquals(events.size(), 1, events.toString());
      RecordedEvent sum = events.get(0);
      assertEquals(sum.getString("operation"), "all_reduce of 1024 f32 by sum");
      assertEquals(sum.getLong("group"), 0);
      assertEquals(sum.getInt("rank"), 0);
      assertEquals(sum.getLong("number"), 2);
      assertEquals(sum.getLong("sizeBytes"), 4096);
      assertEquals(sum.getString("failure"), "");
      assertTrue(sum.getDuration().toNanos() > 0, sum.toString());
      assertTrue(sum.getLong("queuedNs") <= sum.getDuration().toNanos(), sum.toString());
    } finally {
      Files.delete(file);
    }
  }
}
