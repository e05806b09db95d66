// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.io.Resources;
import io.tombolo.base.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * The emulated CUDA driver beside what a device answered: as the device, or unkinder, or a
 * difference that is known and has a reason.
 */
public final class HabitsTest {
  private static final Path PROGRAM = Path.of("..", "..", "bench", "gpu");

  /**
   * Questions that take a few seconds.
   *
   * @param section how the names of what is asked begin, for the program
   * @param settings the emulation's
   */
  private record Questions(String section, Map<String, String> settings) {}

  /** With one hardware queue, so that it does not matter which one a stream gets. */
  private static final Map<String, String> ONE_QUEUE = Map.of("TOMBOLO_EMU_QUEUES", "1");

  /** With so many that the wait for a word, beside which all is asked, has one for itself. */
  private static final Map<String, String> LOCKING =
      Map.of(
          "TOMBOLO_EMU_UNKIND", "locks",
          "TOMBOLO_EMU_QUEUES", "32",
          "TOMBOLO_EMU_QUEUE_SEED", "0");

  /** The vendor's own variable says how many queues there are. */
  private static final Map<String, String> SHARING = Map.of("TOMBOLO_EMU_UNKIND", "shares");

  private static final List<Questions> ALL =
      List.of(
          new Questions("held.wait64", ONE_QUEUE),
          new Questions("held.capture", ONE_QUEUE),
          new Questions("errors", ONE_QUEUE),
          new Questions("beside.wait64", LOCKING),
          new Questions("queues.1", SHARING));

  private static final Pattern ASKED =
      Pattern.compile(
          "(wait64\\w*|capture_\\w+|errors|beside\\.wait64\\.\\w+)\\.\\w+|queues\\.1\\..+");

  private Path folder;

  @BeforeClass
  public void compile() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("habits");
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getenv().getOrDefault("CC", "gcc"), "-O1", "-Wall", "-Wextra", "-Werror"));
    command.addAll(List.of("-o", program().toString()));
    try (Stream<Path> files = Files.list(PROGRAM)) {
      files.map(Path::toString).filter(name -> name.endsWith(".c")).forEach(command::add);
    }
    command.addAll(List.of("-ldl", "-pthread"));
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(compiler.getInputStream().readAllBytes(), UTF_8);
    assertEquals(compiler.waitFor(), 0, said);
  }

  @AfterClass(alwaysRun = true)
  public void delete() throws IOException {
    Files.deleteIfExists(program());
    Files.delete(folder);
  }

  @Test(timeOut = 300_000)
  public void shouldBeAsUnkindAsADevice() throws IOException {
    Habits device = Habits.parse(lines("nvidia-h200.tsv"));
    Habits emulated = ask();
    for (String name : device.answers().keySet()) {
      assertTrue(
          !ASKED.matcher(name).matches() || emulated.answers().containsKey(name),
          name + " was not asked");
    }
    TreeSet<String> kinder = new TreeSet<>();
    TreeSet<String> unused = new TreeSet<>();
    Map<String, String> differences = emulated.kinderThan(device);
    differences.forEach((name, answers) -> kinder.add(name + ": " + answers));
    for (String known : known()) {
      Pattern names = Pattern.compile(known.replace(".", "\\.").replace("*", "\\w*"));
      if (differences.keySet().stream().noneMatch(name -> names.matcher(name).matches())) {
        unused.add(known);
      }
      kinder.removeIf(line -> names.matcher(line.substring(0, line.indexOf(':'))).matches());
    }
    assertTrue(kinder.isEmpty(), "kinder than the device, and not in the list: " + kinder);
    assertTrue(unused.isEmpty(), "no difference any more: take it out of the list: " + unused);
  }

  @Test
  public void shouldTellKinderAnswersFromOthers() {
    Habits device =
        Habits.parse(
            List.of("# from", "s.a\twaits", "s.b\treturns", "s.b.work\tqueued", "s.c\terror 1"));
    assertEquals(
        Habits.parse(List.of("s.a\treturns\tsoon", "s.b\twaits", "s.b.work\tdone", "s.c\tabsent"))
            .kinderThan(device),
        Map.of("s.a", "returns, and the device: waits"));
    assertEquals(
        Habits.parse(List.of("s.b\treturns", "s.b.work\tdone", "s.c\terror 2"))
            .kinderThan(device)
            .keySet(),
        new TreeSet<>(List.of("s.b.work", "s.c")));
  }

  private Habits ask() throws IOException {
    List<String> said = new ArrayList<>();
    for (Questions each : ALL) {
      said.addAll(ask(each));
    }
    return Habits.parse(said);
  }

  private List<String> ask(Questions questions) throws IOException {
    Path library = NativeLibrary.extract(EmulatedCcl.class, "tombolo_emu_nvidia");
    ProcessBuilder builder =
        new ProcessBuilder(
                program().toString(), library.toString(), "--jobs", "12", questions.section())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(questions.settings());
    builder.environment().put("TOMBOLO_EMU_DEADLOCK_MS", "60000");
    try (Stream<String> said = builder.start().inputReader().lines()) {
      return said.toList();
    } finally {
      Files.delete(library);
    }
  }

  private Path program() {
    return folder.resolve("habits");
  }

  private static List<String> known() throws IOException {
    return lines("known-differences.tsv").stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.substring(0, line.indexOf('\t')))
        .toList();
  }

  private static List<String> lines(String name) throws IOException {
    return Resources.readLines(Resources.getResource(HabitsTest.class, "habits/" + name), UTF_8);
  }
}
