// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;

import com.google.common.base.Ticker;
import io.tombolo.runtime.work.WorkSpan;
import io.tombolo.runtime.work.WorkStage;
import java.util.List;
import org.testng.annotations.Test;

public class StopwatchTest {
  private long nowNs;

  private Stopwatch stopwatch() {
    return Stopwatch.of(
        new Ticker() {
          @Override
          public long read() {
            return nowNs;
          }
        });
  }

  /** A stage that several things are in goes on until the last has left. */
  @Test
  public void shouldTellEachTimeThatAStageWasEntered() {
    Stopwatch watch = stopwatch();
    enter(watch, WorkStage.COPY, 1);
    enter(watch, WorkStage.SEND, 2);
    enter(watch, WorkStage.COPY, 3);
    leave(watch, WorkStage.COPY, 4);
    leave(watch, WorkStage.COPY, 6);
    enter(watch, WorkStage.COPY, 8);
    leave(watch, WorkStage.COPY, 9);
    assertEquals(
        watch.spans(),
        List.of(new WorkSpan(WorkStage.COPY, 1, 6), new WorkSpan(WorkStage.COPY, 8, 9)),
        "nothing has left SEND");
    assertEquals(watch.times().get(WorkStage.COPY), Long.valueOf(6));
  }

  @Test
  public void shouldRecordNothingForWhomNobodyTimes() {
    Stopwatch.NONE.begin(WorkStage.COPY);
    Stopwatch.NONE.end(WorkStage.COPY);
    assertEquals(Stopwatch.NONE.spans(), List.of());
  }

  private void enter(Stopwatch watch, WorkStage stage, long atNs) {
    nowNs = atNs;
    watch.begin(stage);
  }

  private void leave(Stopwatch watch, WorkStage stage, long atNs) {
    nowNs = atNs;
    watch.end(stage);
  }
}
