// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;

import io.tombolo.emulated.hca.EmulatedHca;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Devices that carry less in a request itself than is asked for, and refuse to make the pair. */
public final class InlineDataTest {
  private static final int WANTED = 128;

  @DataProvider
  public Object[][] limits() {
    return new Object[][] {{1}, {64}, {96}, {101}, {128}};
  }

  /** 96 of bnxt and 101 of irdma, which have no attribute that says so. */
  @Test(dataProvider = "limits")
  public void shouldAskForLessWhenTheDeviceRefusesSoMuch(int limit) {
    EmulatedHca.set("INLINE_LIMIT", Integer.toString(limit));
    VerbsSettings settings = VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()));
    try (NicPort nic = NicPort.open(settings.withDevice(EmulatedHca.device(0)));
        CompletionEvents raised = nic.device().events();
        CompletionQueue queue = nic.device().completionQueue(2, raised);
        QueuePair pair =
            nic.domain()
                .queuePair(
                    PairType.UC, new PairQueues(queue, queue, Optional.empty(), 1, 1, WANTED))) {
      assertEquals(pair.inlineBytes(), limit);
    }
  }

  @AfterMethod
  public void lift() {
    EmulatedHca.set("INLINE_LIMIT", "0");
  }
}
