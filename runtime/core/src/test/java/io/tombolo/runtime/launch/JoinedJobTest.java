package io.tombolo.runtime.launch;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.DeadlineExceededException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.testng.annotations.Test;

public final class JoinedJobTest {
  @Test(timeOut = 20_000)
  public void shouldWaitForRankZeroAsLongAsTheTimeoutOptionSays() throws IOException {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      JobOptions options = new JobOptions("emu-nvidia:2", null, "auto", 0.25, 0);
      Joining joining =
          new Joining(options, Optional.empty(), Set.of("--clusters", "--timeout")::contains);
      Map<String, String> variables = joining.variables(rankOneOfTwo(folder));
      DeadlineExceededException error =
          expectThrows(DeadlineExceededException.class, () -> JoinedJob.join(variables));
      assertTrue(error.getMessage().contains("rank 1: after 250 ms"), error.getMessage());
    } finally {
      Files.delete(folder);
    }
  }

  /** As Open MPI's mpirun starts it, with ranks that meet through a file in {@code folder}. */
  private static Map<String, String> rankOneOfTwo(Path folder) {
    Map<String, String> variables = new HashMap<>();
    variables.put("OMPI_COMM_WORLD_RANK", "1");
    variables.put("OMPI_COMM_WORLD_SIZE", "2");
    variables.put("OMPI_COMM_WORLD_LOCAL_RANK", "1");
    variables.put("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
    variables.put("PMIX_NAMESPACE", "joined-job-test");
    variables.put("XDG_RUNTIME_DIR", folder.toString());
    return variables;
  }
}
