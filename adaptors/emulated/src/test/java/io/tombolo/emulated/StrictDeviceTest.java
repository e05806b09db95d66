// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The library beside devices that are as inconvenient as real ones, a row for each habit: it goes
 * red where the library's remedy is taken out. {@code device_strict_test.c} has the habits
 * themselves, and docs/emulated-devices.md where they are from.
 */
public final class StrictDeviceTest {
  private static final int TIMEOUT_MS = 300_000;

  /** What is strict, what the program does, and the remedy that lets it end well. */
  @DataProvider
  public static Object[][] remedies() {
    return new Object[][] {
      {"modules", "reduce", "kernels are looked up when what launches them is made"},
      {"aborts", "abort", "an abort lets calls out before the library frees what they use"},
    };
  }

  @Test(dataProvider = "remedies", timeOut = TIMEOUT_MS)
  public void shouldEndWellBesideAStrictDevice(String strict, String program, String remedy) {
    ChildProcess child =
        run(
            program,
            Map.of(
                "TOMBOLO_EMU_DEADLOCK_MS", "1000",
                "TOMBOLO_EMU_SLOW_QUESTION_US", "500"));
    assertTrue(child.output().endsWith("done\n"), strict + ": " + remedy + ": " + child);
    assertFalse(child.output().contains("deadlock"), strict + ": " + remedy + ": " + child);
    assertFalse(child.output().contains("use after free"), strict + ": " + remedy + ": " + child);
    assertEquals(child.exitCode(), 0, strict + ": " + remedy + ": " + child);
  }

  /** Longer than it waits for calls, which may be stuck. */
  @Test(timeOut = TIMEOUT_MS)
  public void shouldNotAbortUnderAQuestionHoweverLongThatTakes() {
    ChildProcess child = run("abort once", Map.of("TOMBOLO_EMU_SLOW_QUESTION_US", "700000"));
    assertTrue(child.output().endsWith("done\n"), child.toString());
    assertFalse(child.output().contains("use after free"), child.toString());
  }

  /** Those whose rows have priorities. */
  @DataProvider
  public static Object[][] ranked() {
    return new Object[][] {
      {"emu-nvidia"},
      {"emu-amd"},
      {"emu-maca"},
      {"emu-musa"},
      {"emu-cambricon"},
      {"emu-level-zero"},
    };
  }

  /** Where each priority has a hardware queue, and but one, ours are not in the callers'. */
  @Test(dataProvider = "ranked", timeOut = TIMEOUT_MS)
  public void shouldGiveOurOwnStreamsAnotherPriority(String device) {
    ChildProcess child =
        ChildProcess.run(
            StrictProgram.class,
            Map.of("TOMBOLO_EMU_QUEUES", "1", "TOMBOLO_EMU_PRIORITIES", "1"),
            "urgent",
            device);
    assertTrue(child.output().endsWith("done\n"), child.toString());
  }

  /** Those with a legacy default stream, which all others are in order with unless they say no. */
  @DataProvider
  public static Object[][] legacy() {
    return new Object[][] {
      {"emu-nvidia"}, {"emu-kunlunxin"}, {"emu-amd"}, {"emu-musa"}, {"emu-maca"}, {"emu-tops"},
    };
  }

  /** Nor is it held up by a queue that they share. */
  @Test(dataProvider = "legacy", timeOut = TIMEOUT_MS)
  public void shouldMakeStreamsThatDoNotWaitForTheLegacyOne(String device) {
    ChildProcess child =
        ChildProcess.run(
            StrictProgram.class, Map.of("TOMBOLO_EMU_KIND", "queues"), "legacy", device);
    assertTrue(child.output().endsWith("done\n"), child.toString());
    assertFalse(child.output().contains("deadlock"), child.toString());
  }

  @Test(timeOut = TIMEOUT_MS)
  public void shouldReportADeadlockByNameInsteadOfHanging() throws IOException {
    Path report = Files.createTempFile("strict", ".txt");
    try {
      ChildProcess child =
          run(
              "free",
              Map.of("TOMBOLO_EMU_DEADLOCK_MS", "200", "TOMBOLO_EMU_REPORT", report.toString()));
      assertTrue(child.output().contains("refused: cuMemFree_v2 failed"), child.toString());
      List<String> reported = Files.readAllLines(report);
      assertEquals(reported.size(), 1, reported.toString());
      assertTrue(
          reported
              .get(0)
              .matches(
                  "emu-nvidia: deadlock: cuMemFree_v2, a free on thread \\S+ \\(\\d+\\) waits .* device 0,"
                      + " and stream \\d+ .*TOMBOLO_EMU_KIND=frees.*"),
          reported.toString());
    } finally {
      Files.delete(report);
    }
  }

  /** A call that a free locks out holds nothing of the library's that queued work needs. */
  @Test(timeOut = TIMEOUT_MS)
  public void shouldRunQueuedCallsWhileAnotherWaitsForAFree() {
    ChildProcess child = run("call", Map.of("TOMBOLO_EMU_UNKIND", "locks"));
    assertTrue(child.output().contains("waiting: true\n"), child.toString());
    assertTrue(child.output().endsWith("done\n"), child.toString());
    assertFalse(child.output().contains("deadlock"), child.toString());
  }

  @Test(timeOut = TIMEOUT_MS)
  public void shouldSayWhatIsKinderThanARealDevice() {
    ChildProcess child = run("free", Map.of("TOMBOLO_EMU_KIND", "frees,queues"));
    assertTrue(
        child
            .output()
            .contains("emu-nvidia: kinder than a device, by TOMBOLO_EMU_KIND: frees queues\n"),
        child.toString());
    assertFalse(child.output().contains("deadlock"), child.toString());
  }

  /** CNRT's events do not tell it. */
  @DataProvider
  public static Object[][] failing() {
    return new Object[][] {{"emu-nvidia"}, {"emu-ascend"}, {"emu-cambricon"}, {"emu-tops"}};
  }

  /** By a runtime whose frees do not wait: others would wait for the copy. */
  @Test(dataProvider = "failing", timeOut = TIMEOUT_MS)
  public void shouldTellOfAFailedCopyWithNothingBehindItButAnEvent(String device) {
    ChildProcess child =
        ChildProcess.run(StrictProgram.class, Map.of("TOMBOLO_EMU_KIND", "frees"), "fail", device);
    assertTrue(child.output().contains("told: "), child.toString());
    assertTrue(child.output().endsWith("done\n"), child.toString());
  }

  /** A device, what it lacks, what it is kinder in, and whether the host keeps its order. */
  @DataProvider
  public static Object[][] words() {
    return new Object[][] {
      {"emu-amd", "", "", false},
      {"emu-amd", "signals", "signals", false},
      {"emu-amd", "signals", "", true},
      {"emu-amd", "words", "", true},
      {"emu-ascend", "", "", false},
      {"emu-ascend", "words", "", true},
      {"emu-musa", "", "", false},
      {"emu-musa", "words", "", true},
      {"emu-maca", "", "", false},
      {"emu-maca", "at-least", "", true},
      {"emu-kunlunxin", "", "", false},
      {"emu-kunlunxin", "words", "", true},
      {"emu-kunlunxin", "at-least", "", true},
    };
  }

  @Test(dataProvider = "words", timeOut = TIMEOUT_MS)
  public void shouldHoldStreamsByWhateverWordsTheyWaitFor(
      String device, String lacking, String kind, boolean isHostOrdered) {
    ChildProcess child =
        ChildProcess.run(
            StrictProgram.class,
            Map.of("TOMBOLO_EMU_LACKS", lacking, "TOMBOLO_EMU_KIND", kind),
            "words",
            device);
    assertTrue(child.output().contains("host-ordered " + isHostOrdered + "\n"), child.toString());
    assertTrue(child.output().endsWith("done\n"), child.toString());
  }

  /** A device, a habit of it, a function that it lacks, and whether the host keeps its order. */
  @DataProvider
  public static Object[][] gates() {
    return new Object[][] {
      {"emu-cambricon", "", "", false},
      {"emu-cambricon", "gates", "", true},
      {"emu-cambricon", "pageable", "", true},
      {"emu-cambricon", "", "cnrtInvokeHostFunc", true},
      {"emu-tops", "", "", false},
      {"emu-tops", "gates", "", true},
      {"emu-tops", "", "topsLaunchHostFunc", true},
    };
  }

  /** Nor where nobody can tell. */
  @Test(dataProvider = "gates", timeOut = TIMEOUT_MS)
  public void shouldHoldNoStreamWhereGatesOrCopiesWaitForStreams(
      String device, String habit, String missing, boolean isHostOrdered) {
    ChildProcess child =
        ChildProcess.run(
            StrictProgram.class,
            Map.of("TOMBOLO_EMU_UNKIND", habit, "TOMBOLO_EMU_MISSING", missing),
            "words",
            device);
    assertTrue(child.output().contains("host-ordered " + isHostOrdered + "\n"), child.toString());
    assertTrue(child.output().endsWith("done\n"), child.toString());
  }

  /** A device, what it lacks, and what the library does then. */
  @DataProvider
  public static Object[][] abilities() {
    return new Object[][] {
      {"emu-nvidia", "", List.of("host-ordered false", "flushes true", "registers true")},
      {"emu-nvidia", "words", List.of("host-ordered true", "flushes true", "registers true")},
      {"emu-nvidia", "flush", List.of("host-ordered false", "flushes false", "registers true")},
      {
        "emu-nvidia",
        "host-pointers",
        List.of("host-ordered false", "flushes true", "refused: devices of the")
      },
      {"emu-amd", "", List.of("host-ordered false", "flushes false", "registers true")},
      {
        "emu-amd",
        "host-pointers",
        List.of("host-ordered false", "flushes false", "refused: this device has another address")
      },
      {
        "emu-maca",
        "host-pointers",
        List.of("host-ordered false", "flushes false", "refused: this device has another address")
      },
      {
        "emu-musa",
        "host-pointers",
        List.of("host-ordered false", "flushes false", "refused: this device has another address")
      },
      {
        "emu-tops",
        "host-pointers",
        List.of("host-ordered false", "flushes false", "refused: this device has another address")
      },
    };
  }

  @Test(dataProvider = "abilities", timeOut = TIMEOUT_MS)
  public void shouldAskForAbilitiesInsteadOfAssumingThem(
      String device, String lacking, List<String> answers) {
    ChildProcess child =
        ChildProcess.run(
            StrictProgram.class, Map.of("TOMBOLO_EMU_LACKS", lacking), "abilities", device);
    List<String> said = child.output().lines().filter(line -> !line.startsWith("SLF4J")).toList();
    for (int i = 0; i < answers.size(); i++) {
      assertTrue(said.get(i).startsWith(answers.get(i)), child.toString());
    }
    assertTrue(child.output().endsWith("done\n"), child.toString());
  }

  private static ChildProcess run(String program, Map<String, String> environment) {
    return ChildProcess.run(StrictProgram.class, environment, program);
  }
}
