// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.runtime.work.Work;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.testng.annotations.Test;

public class WorksTest {
  @Test
  public void shouldNotReportAnErrorOfWhatEndedWellJustAfterTheTime() {
    Work work = endsAfterTheTime();
    assertTrue(Works.await(work, 1));
    Works.awaitEnd(work);
  }

  private static Work endsAfterTheTime() {
    return (Work)
        Proxy.newProxyInstance(
            Work.class.getClassLoader(),
            new Class<?>[] {Work.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "await" -> throw AbortedException.ofWait("not yet", null);
                  case "isDone" -> true;
                  case "error" -> Optional.empty();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
