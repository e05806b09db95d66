// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.testng.SkipException;
import org.testng.annotations.Test;

/** What is said of a vendor that is not, or not all, installed. */
public final class VendorMissingTest {
  private static final String FIX = "fix=install Open MPI 4 (packages libopenmpi3 and openmpi-bin)";

  /** A file that is no library, where the loader looks first, stands for a machine without one. */
  @Test(timeOut = 300_000)
  public void shouldSayWhatToInstallWhereOpenMpiDoesNotOpen() throws IOException {
    Path folder = Files.createTempDirectory("no-mpi");
    Path library = Files.createFile(folder.resolve("libmpi.so.40"));
    try {
      String said = mpiWith(Map.of("LD_LIBRARY_PATH", folder.toString()));
      assertTrue(said.contains("Missing[cause=Open MPI: asking for the version failed"), said);
      assertTrue(said.contains(library.toString()) && said.contains(FIX), said);
    } finally {
      Files.delete(library);
      Files.delete(folder);
    }
  }

  @Test(timeOut = 300_000)
  public void shouldSayWhatToInstallWhereThereIsNoMpirun() {
    String installed = mpiWith(Map.of());
    if (!installed.contains("Available[version=host, 4.")) {
      assertNull(System.getenv("TOMBOLO_WITNESS_DIR"), "in CI there is Open MPI: " + installed);
      throw new SkipException(installed);
    }
    String said = mpiWith(Map.of("PATH", "/nowhere:/nowhere/else"));
    assertTrue(said.contains("there is no mpirun in PATH") && said.contains(FIX), said);
  }

  @Test(timeOut = 300_000)
  public void shouldAdviseNoInstallationWhereTheRuntimeIsAndItsDeviceIsNot() {
    String said =
        ChildProcess.run(AvailabilityProgram.class, Map.of("TOMBOLO_EMU_DEVICES", "0"), "emu-amd")
            .output();
    assertTrue(said.contains("the HIP runtime API finds no device"), said);
    assertTrue(said.contains("fix=its library is installed, so look for the device"), said);
  }

  private static String mpiWith(Map<String, String> environment) {
    return ChildProcess.run(AvailabilityProgram.class, environment, "mpi").output();
  }
}
