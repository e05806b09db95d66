// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.PublishedSchema;
import io.tombolo.cli.Ran;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.launch.RankEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** A job of real processes, one of which is killed while another never makes the call. */
public class TraceCommandTest {
  private Path folder;

  @BeforeClass(timeOut = 120_000)
  public void runJob() throws IOException {
    folder = Files.createTempDirectory("flights");
    JobSpec job =
        JobSpec.of(ClusterSpec.parse("emu-nvidia:2,emu-amd:2"), TracedRank.class)
            .withJvmFlags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xcheck:jni")
            .withTimes(Duration.ofSeconds(60), Duration.ofSeconds(20))
            .withSettings(ImmutableSortedMap.of("recorder", folder.toString()));
    Said said = new Said(new CopyOnWriteArrayList<>());
    JobResult result = JobLauncher.run(job, said);
    assertTrue(result.failure().orElse("").contains("rank 2"), result + "\n" + said.lines());
  }

  private record Said(List<String> lines) implements RankEvents {
    @Override
    public void onEvent(int rank, String json) {
      lines.add(json);
    }

    @Override
    public void onOutput(int rank, String line) {
      lines.add(line);
    }
  }

  @AfterClass(alwaysRun = true)
  public void tidy() throws IOException {
    MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhoNeverCalledAndWhoWasKilled() {
    Ran ran = Ran.of("trace " + folder);
    assertEquals(ran.code(), 0, ran.err());
    String text = ran.out().replaceAll("\\s+", " ");
    for (String words :
        new String[] {
          "communicator all, 4 ranks",
          "rank 1 never entered all_reduce of 1024 f32 by sum (#6, 4096 bytes), which ranks 0, 2, 3 did",
          "the process of rank 2 (emu-amd, pid ",
          "ended without a word; under way: all_reduce of 1024 f32 by sum (#6, 4096 bytes, ",
          "failed first: ",
          "of the last 5 operations that all came to",
        }) {
      assertTrue(text.contains(words), words + " is not in\n" + ran.out());
    }
    Pattern killed =
        Pattern.compile("ended without a word; under way: [^)]*, at step \\d+ of \\d+: ");
    assertTrue(killed.matcher(text).find(), ran.out());
    assertTrue(
        text.indexOf("rank 1 never entered") < text.indexOf("the process of rank 2"), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldPrintTheSameAsItsSchemaSays() throws IOException {
    Ran ran = Ran.of("trace --json " + folder);
    assertEquals(ran.code(), 0, ran.err());
    PublishedSchema.named("trace").check(ran.out());
    JsonObject json = JsonParser.parseString(ran.out()).getAsJsonObject();
    JsonObject group = json.getAsJsonArray("groups").get(0).getAsJsonObject();
    JsonObject missing = group.getAsJsonArray("missing").get(0).getAsJsonObject();
    assertEquals(missing.getAsJsonArray("ranks").toString(), "[1]");
    assertEquals(missing.get("sequence").getAsLong(), 6);
    JsonObject killed = group.getAsJsonArray("ranks").get(2).getAsJsonObject();
    assertEquals(killed.get("state").getAsString(), "gone");
    assertEquals(killed.get("entered").getAsLong(), 6);
    assertEquals(killed.get("done").getAsLong(), 5);
    assertEquals(killed.getAsJsonArray("underWay").size(), 1, ran.out());
    assertTrue(stepOf(killed).get("of").getAsInt() > stepOf(killed).get("number").getAsInt());
    JsonObject waiting = stepOf(group.getAsJsonArray("ranks").get(0).getAsJsonObject());
    assertEquals(waiting.get("number").getAsInt(), 0, ran.out());
    assertEquals(waiting.get("doing").getAsString(), "vendor", ran.out());
    assertEquals(group.getAsJsonArray("unseen").size(), 0, ran.out());
    assertEquals(json.getAsJsonArray("leftOut").size(), 0, ran.out());
  }

  private static JsonObject stepOf(JsonObject rank) {
    return rank.getAsJsonArray("underWay").get(0).getAsJsonObject().getAsJsonObject("step");
  }

  @Test(timeOut = 120_000)
  public void shouldWriteForChromeWhatEachRankCalled() throws IOException {
    Path file = folder.resolve("job.json");
    Ran ran = Ran.of("trace " + folder + " --chrome " + file);
    assertEquals(ran.code(), 0, ran.err());
    List<JsonObject> events =
        JsonParser.parseString(Files.readString(file))
            .getAsJsonObject()
            .getAsJsonArray("traceEvents")
            .asList()
            .stream()
            .map(JsonElement::getAsJsonObject)
            .toList();
    Map<Integer, String> processes = new HashMap<>();
    events.stream()
        .filter(each -> each.get("ph").getAsString().equals("M"))
        .forEach(
            each ->
                processes.put(
                    each.get("pid").getAsInt(),
                    each.getAsJsonObject("args").get("name").getAsString().substring(0, 6)));
    assertEquals(
        callsOf(events, "b", processes),
        Map.of("rank 0", 6L, "rank 1", 5L, "rank 2", 6L, "rank 3", 6L));
    assertEquals(callsOf(events, "e", processes).get("rank 2"), 5L);
  }

  /** How many begins, or ends, of sums each rank has. */
  private static Map<String, Long> callsOf(
      List<JsonObject> events, String phase, Map<Integer, String> processes) {
    return events.stream()
        .filter(each -> each.get("ph").getAsString().equals(phase))
        .filter(each -> each.get("name").getAsString().equals("all_reduce of 1024 f32 by sum"))
        .filter(each -> each.get("cat").getAsString().equals("all"))
        .collect(groupingBy(each -> processes.get(each.get("pid").getAsInt()), counting()));
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheCommunicatorsThereAreIfAskedForAnother() {
    assertEquals(Ran.of("trace --group all " + folder).code(), 0);
    Ran ran = Ran.of("trace --group tp " + folder);
    assertEquals(ran.code(), 2, ran.err());
    assertTrue(ran.err().contains("'tp' there; there are all"), ran.err());
  }

  @Test(timeOut = 120_000)
  public void shouldSayHowToRecordWhereNothingWasRecorded() throws IOException {
    Path empty = Files.createTempDirectory("nothing");
    try {
      Ran ran = Ran.of("trace " + empty);
      assertEquals(ran.code(), 1, ran.err());
      assertTrue(ran.err().contains("TOMBOLO_RECORDER=" + empty), ran.err());
      Files.writeString(empty.resolve("old.flight"), "something else");
      ran = Ran.of("trace " + empty);
      assertEquals(ran.code(), 1, ran.err());
      assertTrue(ran.err().contains("old.flight was left out"), ran.err());
      assertFalse(ran.err().contains("Exception"), ran.err());
    } finally {
      MoreFiles.deleteRecursively(empty, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }
}
