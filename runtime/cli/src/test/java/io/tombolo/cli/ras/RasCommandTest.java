// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.JobToken;
import io.tombolo.cli.PublishedSchema;
import io.tombolo.cli.Ran;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.runtime.work.Work;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;
import picocli.CommandLine;

/** A look at a job, whose ranks are threads of this process, through its store. */
public class RasCommandTest {
  private static final int RANKS = 2;

  private final JobToken token = JobToken.random();
  private final ExecutorService threads = Executors.newFixedThreadPool(RANKS);
  private TcpStoreServer server;
  private List<Communicator> ranks;
  private boolean left;

  @BeforeMethod
  public void join() throws Exception {
    left = false;
    server =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
    ranks =
        ofEach(
            IntStream.range(0, RANKS)
                .<Callable<Communicator>>mapToObj(
                    rank -> () -> Communicator.join(environment(rank)))
                .toList());
  }

  @AfterMethod(alwaysRun = true)
  public void leave() throws Exception {
    if (left) {
      return;
    }
    left = true;
    ofEach(
        ranks.stream()
            .<Callable<Boolean>>map(
                rank ->
                    () -> {
                      rank.close();
                      return true;
                    })
            .toList());
    server.close();
  }

  private <T> List<T> ofEach(List<Callable<T>> tasks) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> result : threads.invokeAll(tasks)) {
      results.add(result.get());
    }
    return results;
  }

  @Test(timeOut = 120_000)
  public void shouldSayThatAllIsWell() {
    StringWriter out = new StringWriter();
    assertEquals(run(out), 0, out.toString());
    assertTrue(out.toString().contains("✓ all ranks are well"), out.toString());
    assertTrue(out.toString().contains("each has made 0"), out.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheRankThatTheOtherWaitsFor() throws Exception {
    try (var stream = ranks.get(1).device().newStream()) {
      Work waiting = ranks.get(1).barrier(stream);
      StringWriter out = new StringWriter();
      String words = "rank 0 made 0, others up to 1";
      while (!out.toString().contains(words)) { // its next beat may come after the look
        out = new StringWriter();
        assertEquals(run(out, "--json"), 0, out.toString());
        PublishedSchema.named("ras").check(out.toString());
      }
      JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
      JsonObject first = json.getAsJsonArray("ranks").get(0).getAsJsonObject();
      assertEquals(first.get("rank").getAsInt(), 0, out.toString());
      assertEquals(first.get("condition").getAsString(), "alive", out.toString());
      try (var other = ranks.get(0).device().newStream()) {
        ranks.get(0).barrier(other).await(Duration.ofSeconds(60));
        waiting.await(Duration.ofSeconds(60));
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSayThatTheJobHasFailed() {
    ranks.get(1).abort();
    StringWriter out = new StringWriter();
    while (run(out) == 0) { // the store hears of it in a moment
      out = new StringWriter();
    }
    assertTrue(out.toString().contains("✗ not all is well"), out.toString());
    assertTrue(out.toString().contains("the job has failed: rank 1"), out.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhatChangesUntilTheJobEnds() throws Exception {
    ExecutorService other = Executors.newFixedThreadPool(2);
    StringWriter text = new StringWriter();
    StringWriter json = new StringWriter();
    try {
      Future<Integer> inWords = other.submit(() -> run(text, "--monitor"));
      Future<Integer> inJson = other.submit(() -> run(json, "--monitor", "--json"));
      awaitText(text, "all ranks are well", inWords);
      awaitText(json, "\"isWell\":true", inJson);
      ranks.get(1).abort();
      awaitText(text, "the job has failed: rank 1", inWords);
      awaitText(json, "\"isWell\":false", inJson);
      leave();
      assertEquals((int) inWords.get(), 1, text.toString());
      assertEquals((int) inJson.get(), 1, json.toString());
      assertTrue(text.toString().contains("the job is there no more"), text.toString());
      for (String line : json.toString().lines().toList()) {
        PublishedSchema.named("ras").check(line);
      }
    } finally {
      other.shutdownNow();
    }
  }

  private static void awaitText(StringWriter out, String words, Future<Integer> end)
      throws InterruptedException {
    while (!out.toString().contains(words)) {
      assertFalse(end.isDone(), words + " is not in\n" + out);
      Thread.sleep(20);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldServeMetricsToThoseWhoShowTheirToken() throws Exception {
    Path secret = Files.createTempFile("metrics", ".token");
    Files.writeString(secret, token.hex());
    ExecutorService other = Executors.newSingleThreadExecutor();
    StringWriter out = new StringWriter();
    try {
      Future<Integer> code =
          other.submit(() -> run(out, "--metrics", "0", "--metrics-token", secret.toString()));
      Matcher place = Pattern.compile("metrics are at (http://\\S+)").matcher("");
      while (!place.reset(out.toString()).find()) {
        assertFalse(code.isDone(), out.toString());
        Thread.sleep(20);
      }
      HttpURLConnection shown = (HttpURLConnection) new URL(place.group(1)).openConnection();
      shown.setRequestProperty("Authorization", "Bearer " + token.hex());
      String text = new String(shown.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(text.contains("\ntombolo_job_well 1\n"), text);
      assertTrue(text.contains("\ntombolo_job_ranks{condition=\"alive\"} 2\n"), text);
      HttpURLConnection hidden = (HttpURLConnection) new URL(place.group(1)).openConnection();
      assertEquals(hidden.getResponseCode(), HttpURLConnection.HTTP_UNAUTHORIZED);
      leave();
      assertEquals((int) code.get(), 0, out.toString());
    } finally {
      other.shutdownNow();
      Files.delete(secret);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldServeNothingWithoutAToken() {
    Ran without = Ran.of("ras 127.0.0.1:1 --metrics 0");
    assertEquals(without.code(), 2, without.err());
    assertTrue(without.err().contains("--metrics-token go together"), without.err());
    Ran nowhere = Ran.of("ras 127.0.0.1:1 --metrics 0 --metrics-token /no/such");
    assertEquals(nowhere.code(), 2, nowhere.err());
    assertTrue(nowhere.err().contains("/no/such cannot be read"), nowhere.err());
  }

  private int run(StringWriter out, String... options) {
    RasCommand command = new RasCommand(Map.of("TOMBOLO_TOKEN", token.hex()));
    CommandLine line = new CommandLine(command).setOut(new PrintWriter(out, true));
    String[] words = new String[options.length + 1];
    words[0] = "127.0.0.1:" + server.address().getPort();
    System.arraycopy(options, 0, words, 1, options.length);
    return line.execute(words);
  }

  private JobEnvironment environment(int rank) {
    return new JobEnvironment(
        rank,
        RANKS,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        Duration.ofSeconds(60),
        ImmutableSortedMap.of("liveness_ms", "1000"));
  }
}
