// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Jobs for which a device has all but one of the things that they make there. */
public class ScarceJobTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final long LIMIT_MS = 400_000;

  /** So many of a life's things are passed over at a time as this is a part of them. */
  private static final String PART = Boolean.getBoolean("tombolo.full") ? "8" : "2";

  /** Whose devices; HIP's have words to wait for in allocations of their own. */
  @DataProvider
  public static Object[][] vendors() {
    return new Rows().oneOf(new Object[][] {{"emu-nvidia"}, {"emu-amd"}}).toArray();
  }

  @Test(dataProvider = "vendors", timeOut = LIMIT_MS)
  public void shouldLoseNothingAndSaySoWhateverCannotBeMade(String vendor) throws IOException {
    Path folder = Files.createTempDirectory("scarce");
    try {
      EmulatedThings.make(folder, vendor);
      JobResult result =
          TestJobs.run(
              TestJobs.of(ClusterSpec.parse("host:1"), LIMIT, "scarce", 0)
                  .withSettings(
                      ImmutableSortedMap.of(
                          EmulatedThings.SETTING,
                          folder.toString(),
                          ScarceLives.SCARCE,
                          vendor,
                          ScarceLives.PART,
                          PART)),
              true);
      assertTrue(result.isSuccess(), result.toString());
    } finally {
      Files.deleteIfExists(folder.resolve(vendor));
      Files.delete(folder);
    }
  }
}
