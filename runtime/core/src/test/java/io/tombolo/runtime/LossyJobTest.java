package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whole jobs of real processes between whose clusters packets get lost, swapped and doubled. */
public final class LossyJobTest {
  private static final String FAULTS = "loss=1%,reorder=2%:300us,duplicate=1%";
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private Path hca;

  /** Ranks open it as they would open libibverbs. */
  @BeforeClass
  public void unpackTheHca() throws IOException {
    String name = EmulatedHca.library();
    hca = Files.createTempFile("tombolo-hca-", ".so");
    String resource = "/META-INF/native/linux-" + System.getProperty("os.arch") + "/" + name;
    try (InputStream in =
        EmulatedHca.class.getResourceAsStream(resource.replace("amd64", "x86_64"))) {
      Files.copy(in, hca, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @AfterClass
  public void removeTheHca() throws IOException {
    Files.delete(hca);
  }

  @DataProvider
  public Object[][] fabrics() {
    return new Object[][] {{"udp"}, {"uc"}, {"ud"}};
  }

  @Test(dataProvider = "fabrics")
  public void shouldComputeExactlyWherePacketsGetLost(String fabric) {
    ClusterSpec clusters = ClusterSpec.parse("emu-nvidia:1,emu-amd:2");
    JobSpec job =
        TestJobs.of(clusters, TIMEOUT, "sums", -1)
            .withSettings(
                TestJobs.unlike(
                    Map.of("fabrics", fabric, "faults", FAULTS, "ibverbs", hca.toString())));
    JobResult result = TestJobs.run(job, true);
    assertTrue(result.isSuccess(), result.toString());
  }
}
