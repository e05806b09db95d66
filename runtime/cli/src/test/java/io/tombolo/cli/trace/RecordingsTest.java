// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import static org.testng.Assert.assertEquals;

import io.tombolo.cli.trace.TraceSummary.LeftOut;
import java.util.List;
import org.testng.annotations.Test;

/** Whose files belong together. */
public class RecordingsTest {
  private static Recording of(int rank, long job, long pid, long epochNs) {
    return Flights.recording(rank, 2, job, pid, epochNs, Flights.NO_END);
  }

  @Test
  public void shouldTakeTheLatestRunAndNameWhatIsOfEarlierOnes() {
    Recording old = of(0, 1, 100, 5);
    Recording first = of(0, 2, 200, 10);
    Recording second = of(1, 2, 201, 11);
    Recordings found = Recordings.latest(List.of(second, old, first), List.of());
    assertEquals(found.run(), List.of(first, second));
    assertEquals(found.leftOut(), List.of(new LeftOut(old.file(), "it is of an earlier run")));
  }

  /** As torch's groups are, which do not know of each other. */
  @Test
  public void shouldTakeAllCommunicatorsOfTheProcesses() {
    Recording world = of(0, 1, 100, 5);
    Recording pair = of(0, 2, 101, 6);
    Recording bridge = of(1, 1, 101, 5);
    Recordings found = Recordings.latest(List.of(world, pair, bridge), List.of());
    assertEquals(found.run().size(), 3);
    assertEquals(found.leftOut(), List.of());
  }

  @Test
  public void shouldTakeTheNewerFileOfARank() {
    Recording dead = of(1, 1, 100, 5);
    Recording alive = of(1, 1, 101, 6);
    Recordings found = Recordings.latest(List.of(dead, alive), List.of());
    assertEquals(found.run(), List.of(alive));
    assertEquals(found.leftOut().size(), 1);
  }
}
