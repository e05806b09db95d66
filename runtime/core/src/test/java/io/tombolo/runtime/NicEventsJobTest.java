// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.RankEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whole jobs of real processes, to whose only NIC something happens that it tells of by an
 * asynchronous event, once it has carried some of their bytes.
 */
public final class NicEventsJobTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** More than joining takes, and far fewer than the sums do. */
  private static final String PACKETS = "300";

  private static final String RESET = "hca_fatal_after";
  private static final String CABLE = "hca_down_after";
  private static final String PAIR = "hca_break_after";
  private static final String ADDRESS = "hca_gid_changed_after";

  /**
   * Both ports may go down, one after the other, and even then rc's repeats go on for longer: half
   * a second.
   */
  private static final String OUTAGE_MS = "150";

  /** Errors of ours, each in one line; of others there is a stack trace. */
  private static final String ERROR = "[A-Z]\\w+Exception: .*";

  /** What the other rank sees of it. */
  private static final String HUNG_UP = "look at its output";

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
  public Object[][] failures() {
    return new Rows()
        .oneOf(
            new Object[][] {
              {"rc", RESET, "see dmesg"}, {"uc", RESET, "see dmesg"}, {"ud", RESET, "see dmesg"}
            })
        .oneOf(
            new Object[][] {
              {"rc", CABLE, "look at the cable"},
              {"uc", CABLE, "look at the cable"},
              {"ud", CABLE, "look at the cable"}
            })
        .oneOf(
            new Object[][] {
              {"rc", PAIR, "see dmesg"}, {"uc", PAIR, "see dmesg"}, {"ud", PAIR, "see dmesg"}
            })
        .oneOf(
            new Object[][] {
              {"rc", ADDRESS, "give it back"},
              {"uc", ADDRESS, "give it back"},
              {"ud", ADDRESS, "give it back"}
            })
        .toArray();
  }

  /** Of either rank's own NIC, or as the other tells of it, or of how the other has gone. */
  @Test(timeOut = 300_000, dataProvider = "failures")
  public void shouldEndWithOneErrorOnEachRank(String fabric, String fault, String help) {
    Outcome outcome = run(fabric, Map.of(fault, PACKETS));
    assertFalse(outcome.result.isSuccess(), outcome.toString());
    String channel = "rank (0 to rank 1|1 to rank 0) over " + fabric + ", channel \\d+";
    for (int rank = 0; rank < 2; rank++) {
      String error = outcome.onlyErrorOf(rank);
      assertTrue(error.matches(".*" + channel + ".*"), error);
      assertTrue(error.contains(help) || error.contains(HUNG_UP), error);
    }
    String ofTheNic = ".*" + channel + ".*" + DeadNic.NAME + ".*" + help + ".*";
    assertTrue(outcome.said.stream().anyMatch(line -> line.matches(ofTheNic)), outcome.toString());
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Rows().oneOf(new Object[][] {{"rc"}, {"uc"}, {"ud"}}).toArray();
  }

  /** Where the port stays down after as many packets the same job fails, see above. */
  @Test(timeOut = 300_000, dataProvider = "fabrics")
  public void shouldComputeExactlyWhenThePortIsSoonActiveAgain(String fabric) {
    Outcome outcome = run(fabric, Map.of(CABLE, PACKETS, "hca_down_ms", OUTAGE_MS));
    assertTrue(outcome.result.isSuccess(), outcome.toString());
  }

  /** What all ranks wrote, each line behind its rank's number. */
  private record Outcome(JobResult result, List<String> said) {
    String onlyErrorOf(int rank) {
      List<String> errors = said.stream().filter(line -> line.matches(rank + " " + ERROR)).toList();
      assertEquals(errors.size(), 1, "errors of rank " + rank + ": " + this);
      assertTrue(said.stream().noneMatch(line -> line.contains("\tat ")), toString());
      return errors.get(0);
    }
  }

  private Outcome run(String fabric, Map<String, String> faults) {
    Map<String, String> settings = new HashMap<>(faults);
    settings.put("fabrics", fabric);
    settings.put("ibverbs", hca.path());
    settings.put("rdma_device", DeadNic.NAME);
    List<String> said = new CopyOnWriteArrayList<>();
    JobResult result =
        JobLauncher.run(
            TestJobs.of(ClusterSpec.parse("emu-nvidia:1,emu-amd:1"), TIMEOUT, "sums", -1)
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
