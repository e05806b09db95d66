// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.errors.UsageException;
import io.tombolo.bench.BenchCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import picocli.CommandLine;

/** The loss laboratory from its command line. */
public final class P2pTest {
  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = new CommandLine(new BenchCommand());
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(new StringWriter(), true));
    line.setExecutionExceptionHandler(
        (e, command, parsed) -> {
          throw e;
        });
    return line.execute(arguments);
  }

  private List<JsonObject> rows() {
    return out.toString()
        .lines()
        .map(text -> JsonParser.parseString(text).getAsJsonObject())
        .toList();
  }

  @Test(timeOut = 120_000)
  public void shouldBeatGoBackNAndTcpOnALinkThatLosesOnePercent() {
    run(
        "p2p",
        "--fabric",
        "sim",
        "--loss",
        "1%",
        "--delay",
        "500us",
        "--rate",
        "8Gbit",
        "--volume",
        "32M",
        "--runs",
        "1",
        "--against",
        "tcp,go-back-n",
        "--json");
    List<JsonObject> rows = rows();
    assertEquals(rows.size(), 3);
    double ours = rows.get(0).get("optimum_percent").getAsDouble();
    assertTrue(ours >= 90, "ours: " + ours);
    for (JsonObject other : rows.subList(1, 3)) {
      assertTrue(other.get("optimum_percent").getAsDouble() < ours, other.toString());
    }
    JsonObject recovery = rows.get(0).getAsJsonObject("recovery");
    long repeats =
        rows.get(0).get("resent_by_time").getAsLong()
            + rows.get(0).get("resent_by_count").getAsLong();
    assertTrue(recovery.get("count").getAsLong() > 0 && repeats > 0, rows.get(0).toString());
    assertTrue(rows.get(0).get("wire_bytes").getAsLong() > 32 << 20);
  }

  @Test(timeOut = 120_000)
  public void shouldGiveTheSameNumbersWhenTheSeedIsTheSame() {
    String[] arguments = {
      "p2p", "--fabric", "sim", "--loss", "2%", "--reorder", "5%", "--duplicate", "1%", "--delay",
      "50us", "--rate", "1Gbit", "--volume", "8M", "--runs", "1", "--json", "--seed", "7"
    };
    run(arguments);
    String first = out.toString();
    run(arguments);
    assertEquals(out.toString(), first);
  }

  @Test(timeOut = 120_000)
  public void shouldCarryEverythingOverRealSocketsBesideItsCompetitors() {
    run(
        "p2p",
        "--fabric",
        "udp",
        "--loss",
        "1%",
        "--duplicate",
        "1%",
        "--delay",
        "50us",
        "--volume",
        "4M",
        "--runs",
        "1",
        "--against",
        "tcp,go-back-n",
        "--json");
    assertEquals(rows().size(), 3);
    for (JsonObject row : rows()) {
      assertEquals(row.get("payload_bytes").getAsLong(), 4 << 20);
      assertTrue(row.get("wire_bytes").getAsLong() > 4 << 20, row.toString());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldCompareTheFabricsOfThisMachine() {
    run("p2p", "--fabric", "tcp", "--against", "shm", "--volume", "4M", "--runs", "1", "--json");
    assertEquals(rows().size(), 2);
    assertEquals(rows().get(0).get("fabric").getAsString(), "tcp");
    assertEquals(rows().get(1).get("fabric").getAsString(), "shm");
    for (JsonObject row : rows()) {
      assertEquals(row.get("payload_bytes").getAsLong(), 4 << 20);
      assertTrue(row.get("goodput").getAsDouble() > 0, row.toString());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldDrawOneLinePerCandidateWhenItSweeps() throws IOException {
    Path picture = Files.createTempFile("sweep", ".svg");
    try {
      run(
          "p2p",
          "--fabric",
          "sim",
          "--delay",
          "50us",
          "--rate",
          "8Gbit",
          "--volume",
          "4M",
          "--runs",
          "1",
          "--against",
          "go-back-n",
          "--sweep",
          picture.toString());
      String svg = Files.readString(picture);
      assertTrue(svg.startsWith("<svg ") && svg.trim().endsWith("</svg>"));
      assertEquals(svg.split("<polyline", -1).length - 1, 2);
      assertTrue(svg.contains("sim/go-back-n"));
    } finally {
      Files.delete(picture);
    }
  }

  @DataProvider
  public Object[][] nonsense() {
    return new Object[][] {
      {"--fabric carrier-pigeon"},
      {"--against pigeons"},
      {"--loss 101%"},
      {"--packet 100"},
      {"--runs 0"},
      {"--rate fast"},
      {"--fabric tcp --loss 1%"},
      {"--fabric shm --rate 1Gbit"},
    };
  }

  @Test(dataProvider = "nonsense", timeOut = 120_000)
  public void shouldRefuseWhatMakesNoSense(String words) {
    String[] arguments = ("p2p --volume 1M " + words).split(" ");
    assertThrows(UsageException.class, () -> execute(arguments));
  }

  private void execute(String... arguments) throws Exception {
    CommandLine line = new CommandLine(new BenchCommand());
    P2pCommand command =
        (P2pCommand) line.parseArgs(arguments).subcommand().commandSpec().userObject();
    command.call();
  }
}
