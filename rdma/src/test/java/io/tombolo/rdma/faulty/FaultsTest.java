// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.errors.UsageException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Faults in words. */
public final class FaultsTest {
  @Test
  public void shouldUnderstandEveryWord() {
    Faults faults =
        Faults.parse(
            "loss=1%, burst=8, spray=4:20us, reorder=5%:1ms, duplicate=0.01, delay=50us, rate=1Gbit, queue=4MB, clog=0.1%:5ms, partition=1%, seed=7");
    FaultPlan plan = faults.plan();
    assertEquals(faults.seed(), 7);
    assertEquals(plan.lossProbability(), 0.01);
    assertEquals(plan.lossBurstPackets(), 8.0);
    assertEquals(plan.paths(), 4);
    assertEquals(plan.pathSpreadNs(), 20_000);
    assertEquals(plan.reorderProbability(), 0.05);
    assertEquals(plan.reorderDelayNs(), 1_000_000);
    assertEquals(plan.replayProbability(), 0.01);
    assertEquals(plan.oneWayDelayMinNs(), 50_000);
    assertEquals(plan.oneWayDelayMeanNs(), 50_000);
    assertEquals(plan.rateBytesPerSecond(), 125_000_000);
    assertEquals(plan.queueBytes(), 4_000_000);
    assertEquals(plan.clogProbability(), 0.001);
    assertEquals(plan.clogMeanNs(), 5_000_000);
    assertEquals(plan.partitionMeanNs(), 10_000_000);
  }

  @Test
  public void shouldLeaveACalmLinkWhenNothingIsSaid() {
    assertEquals(Faults.parse("").plan(), FaultPlan.calm(0));
  }

  @DataProvider
  public Object[][] words() {
    return new Object[][] {
      {""},
      {"loss=0.0001%,seed=-7"},
      {"reorder=5%:1ms,duplicate=0.3%,delay=50us,clog=0.1%:5ms,partition=1%:3ns"},
      {"rate=1kbit,queue=1"},
      {"loss=3%,burst=8,spray=4:20us,delay=10us"},
      {"rate=99.999Gbit,queue=4MB,loss=100%"},
    };
  }

  @Test(dataProvider = "words")
  public void shouldMeanTheSameWhenItsWordsAreReadAgain(String words) {
    Faults faults = Faults.parse(words);
    assertEquals(Faults.parse(faults.text()).plan(), faults.plan(), faults.text());
    assertEquals(Faults.parse(faults.text()), faults);
  }

  @DataProvider
  public Object[][] nonsense() {
    return new Object[][] {
      {"loss"},
      {"loss=120%"},
      {"loss=1%,loss=2%"},
      {"delay=5m"},
      {"rate=fast"},
      {"luck=1%"},
      {"seed=1.5"},
      {"loss=-1%"},
      {"reorder=5%:"},
      {"loss=1=2"},
    };
  }

  @Test(dataProvider = "nonsense")
  public void shouldRefuseWhatIsNoFault(String text) {
    assertThrows(UsageException.class, () -> Faults.parse(text));
  }
}
