// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.PublishedSchema;
import io.tombolo.cli.Ran;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankEvents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.testng.annotations.Test;

/** What is said of a process in the middle of its job. */
public class ProcessStatCommandTest {

  /** Asked by the launcher's own thread, while rank 0 waits for a rank that never comes. */
  @Test(timeOut = 180_000)
  public void shouldSayWhatARankWaitsFor() throws IOException {
    Path folder = Files.createTempDirectory("flights");
    Path hold = Files.createFile(folder.resolve(TracedRank.HOLD));
    Map<String, Ran> asked = new ConcurrentHashMap<>();
    try {
      JobSpec job =
          JobSpec.of(ClusterSpec.parse("emu-nvidia:2,emu-amd:2"), TracedRank.class)
              .withJvmFlags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
              .withTimes(Duration.ofSeconds(60), Duration.ofSeconds(20))
              .withSettings(ImmutableSortedMap.of("recorder", folder.toString()));
      JobLauncher.run(
          job,
          new RankEvents() {
            @Override
            public void onStart(int rank, String vendor, long pid) {
              if (rank == 0) {
                Thread asker = new Thread(() -> ask(pid, asked, hold));
                asker.setDaemon(true);
                asker.start();
              }
            }

            @Override
            public void onEvent(int rank, String json) {}

            @Override
            public void onOutput(int rank, String line) {}
          });
      assertEquals(asked.keySet(), java.util.Set.of("text", "json"));
      String text = asked.get("text").out();
      assertTrue(text.contains("all_reduce of 1024 f32 by sum (#6, 4096 bytes, "), text);
      assertTrue(text.contains("0 of 4"), text);
      assertTrue(text.contains(" ms, at step 0 of "), text);
      assertTrue(text.contains(": the vendor's library)"), text);
      String json = asked.get("json").out();
      PublishedSchema.named("stat").check(json);
      JsonObject first =
          JsonParser.parseString(json)
              .getAsJsonObject()
              .getAsJsonArray("communicators")
              .get(0)
              .getAsJsonObject();
      assertEquals(first.getAsJsonObject("self").get("entered").getAsLong(), 6);
    } finally {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  /** Until the sixth sum is in a step, where it stays as long as there is {@code hold}. */
  private static void ask(long pid, Map<String, Ran> asked, Path hold) {
    while (Files.exists(hold) && ProcessHandle.of(pid).isPresent()) {
      Ran text = Ran.of("stat " + pid);
      Ran json = Ran.of("stat --json " + pid);
      boolean inStep = text.out().contains("(#6") && text.out().contains("at step");
      if (inStep && json.code() == 0) {
        asked.put("text", text);
        asked.put("json", json);
        release(hold);
      }
    }
  }

  private static void release(Path hold) {
    try {
      Files.delete(hold);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldSayWhyThereIsNothingToSay() {
    Ran none = Ran.of("stat 999999999");
    assertEquals(none.code(), 1, none.err());
    assertTrue(none.err().contains("there is no process 999999999"), none.err());
    Ran self = Ran.of("stat " + ProcessHandle.current().pid());
    assertEquals(self.code(), 1, self.err());
    assertTrue(
        self.err().contains("records nothing; start the job with TOMBOLO_RECORDER"), self.err());
    assertEquals(Ran.of("stat 0").code(), 2);
  }
}
