// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.RankEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs of real processes between whose NICs nothing comes through, though TCP does. */
public final class FirewalledJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private HcaFile hca;

  @BeforeClass
  public void unpackTheHca() throws IOException {
    hca = new HcaFile();
  }

  @AfterClass(alwaysRun = true)
  public void removeTheHca() throws IOException {
    hca.close();
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Rows().oneOf(new Object[][] {{"uc"}, {"ud"}}).toArray();
  }

  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldComputeExactlyByTcpAndSaySo(String fabric) {
    Outcome outcome = run(fabric + ",tcp");
    assertTrue(outcome.result.isSuccess(), outcome.toString());
    String route = "=tcp (staged): network (" + fabric + " did not open; the log says why)";
    for (int rank = 0; rank < 2; rank++) {
      String own = rank + " {";
      List<String> ways =
          outcome.said.stream()
              .filter(line -> line.startsWith(own))
              .filter(line -> line.contains(route) && line.contains("} carried {tcp="))
              .toList();
      assertTrue(ways.size() == 1 && !ways.get(0).contains(fabric + "="), outcome.toString());
    }
  }

  /** Who names only the NIC's fabric wants to hear that it does not work. */
  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldEndWithAnErrorWhereTcpIsNotNamed(String fabric) {
    Outcome outcome = run(fabric);
    assertFalse(outcome.result.isSuccess(), outcome.toString());
    assertTrue(
        outcome.said.stream().anyMatch(line -> line.contains("though TCP does")),
        outcome.toString());
  }

  /** What all ranks wrote, each line behind its rank's number. */
  private record Outcome(JobResult result, List<String> said) {}

  private Outcome run(String fabrics) {
    Map<String, String> settings =
        Map.of("fabrics", fabrics, "ibverbs", hca.path(), "hca_loss_percent", "100");
    List<String> said = new CopyOnWriteArrayList<>();
    JobResult result =
        JobLauncher.run(
            TestJobs.of(
                    ClusterSpec.parse("emu-nvidia:1,emu-amd:1"), TIMEOUT, "sums and their way", -1)
                .withSettings(TestJobs.unlike(settings)),
            new RankEvents() {
              @Override
              public void onEvent(int rank, String json) {}

              @Override
              public void onOutput(int rank, String line) {
                said.add(rank + " " + line);
              }
            });
    return new Outcome(result, said);
  }
}
