// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import static org.testng.Assert.assertEquals;

import io.tombolo.topology.Recorded;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class RecordingFilesTest {

  @DataProvider
  public Object[][] systems() {
    return new Object[][] {
      {LiveFiles.ofThisHost()},
      {recorded("dgx-h100")},
      {recorded("mi300x")},
      {recorded("gaudi2")},
      {recorded("plain")},
    };
  }

  private static SystemFiles recorded(String machine) {
    return RecordedFiles.parse(Recorded.text("machines/" + machine + ".txt"), machine);
  }

  @Test(dataProvider = "systems")
  public void shouldRecordAllThatDetectionLooksAt(SystemFiles files) {
    RecordingFiles recording = new RecordingFiles(files);
    assertEquals(
        Detection.of(RecordedFiles.parse(recordingOf(recording), "recording")),
        Detection.of(files));
  }

  private static String recordingOf(RecordingFiles recording) {
    Detection.of(recording);
    return recording.text();
  }
}
