// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.tombolo.base.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import picocli.CommandLine;

public class CommandsTest {
  private static final String SERVICE = Command.class.getName();
  private static final Pattern WORD = Pattern.compile("('[^']*'|[^ '])+");

  @Test(timeOut = 300_000)
  public void shouldOfferTheSameCommandsOnTheClassPathAndOnTheModulePath() throws IOException {
    String file = "META-INF/services/" + SERVICE;
    List<URL> lists = Collections.list(getClass().getClassLoader().getResources(file));
    assertEquals(lists.size(), 2, "cli and bench contribute commands: " + lists);
    for (URL list : lists) {
      URL descriptor = new URL(list.toString().replace(file, "module-info.class"));
      assertEquals(servicesIn(list), providedBy(descriptor), list.toString());
    }
  }

  @DataProvider
  Object[][] commands() {
    List<Object[]> commands = new ArrayList<>();
    collect(Main.commandLine(), commands);
    return commands.toArray(Object[][]::new);
  }

  @Test(timeOut = 300_000, dataProvider = "commands")
  public void shouldShowExamplesExitCodesAndOptionsInTheHelpOfEveryCommand(String name) {
    Ran ran = Ran.of(name.replaceFirst("tombolo", "") + " --help");
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().startsWith("Usage: " + name), ran.out());
    assertTrue(ran.out().contains("\nExamples:\n"), ran.out());
    assertTrue(ran.out().contains("Exit code"), ran.out());
    assertTrue(ran.out().contains("--help"), ran.out());
    assertFalse(ran.out().contains("%n"), ran.out());
    assertFalse(ran.out().contains("@|"), ran.out());
  }

  @Test(timeOut = 300_000, dataProvider = "commands")
  public void shouldUnderstandTheExamplesOfEveryCommand(String name) {
    String help = Ran.of(name.replaceFirst("tombolo", "") + " --help").out();
    List<String> examples =
        help.substring(help.indexOf("\nExamples:\n"))
            .lines()
            .map(line -> line.replaceFirst("source <\\((.*)\\)", "$1").strip())
            .filter(line -> line.startsWith("tombolo "))
            .toList();
    assertFalse(examples.isEmpty(), help);
    for (String example : examples) {
      Main.commandLine().parseArgs(words(example));
    }
  }

  /** The words a shell would make of {@code example}, without the first one. */
  private static String[] words(String example) {
    Matcher words = WORD.matcher(example.replaceFirst(" (#|> |-- ).*", ""));
    return words
        .results()
        .map(word -> word.group().replace("'", ""))
        .skip(1)
        .toArray(String[]::new);
  }

  @Test(timeOut = 300_000)
  public void shouldCompleteEveryCommandAndOptionInBashAndZsh() throws Exception {
    String script = Ran.of("completion bash").out();
    for (String word : List.of("--simulate", "all_reduce", "oneccl", "--need")) {
      assertTrue(script.contains(word), word);
    }
    assertTrue(Ran.of("completion zsh").out().endsWith(script));
    assertEquals(completed(script, "tombolo", "be"), List.of("bench"));
    assertEquals(completed(script, "tombolo", "topo", "--sim"), List.of("--simulate"));
    assertEquals(completed(script, "tombolo", "completion", "z"), List.of("zsh"));
  }

  /** What bash offers for the last of {@code words} once it has read {@code script}. */
  private static List<String> completed(String script, String... words) throws Exception {
    String ask =
        script
            + "\nCOMP_WORDS=("
            + String.join(" ", words)
            + ")\nCOMP_CWORD="
            + (words.length - 1)
            + "\nCOMP_LINE=\"${COMP_WORDS[*]}\"\nCOMP_POINT=${#COMP_LINE}\n"
            + "_complete_tombolo\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    // Standard error holds bash's remark that it is not completing just now.
    Process bash =
        new ProcessBuilder("bash", "-s").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (OutputStream in = bash.getOutputStream()) {
      in.write(ask.getBytes(StandardCharsets.UTF_8));
    }
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(bash.waitFor(20, TimeUnit.SECONDS), out);
    return out.lines().map(String::strip).toList();
  }

  @Test(timeOut = 300_000)
  public void shouldShowTheHelpWhenAskedForNothing() {
    Ran ran = Ran.of("");
    assertEquals(ran.code(), 0);
    for (String command :
        List.of(
            "bench",
            "completion",
            "config",
            "demo",
            "doctor",
            "env",
            "get",
            "plan",
            "store",
            "topo",
            "trace",
            "vendors",
            "version")) {
      assertTrue(ran.out().contains("  " + command), ran.out());
    }
  }

  @DataProvider
  Object[][] wrongUsage() {
    return new Object[][] {
      {"frobnicate", "no command is called 'frobnicate'"},
      {"bench all_sort", "no command is called 'all_sort'"},
      {"demo extra", "'extra'"},
      {"demo --frobnicate", "--frobnicate"},
      {"demo --clusters foo:0", "foo"},
      {"demo --clusters emu-nvidia:0,emu-amd:2", "emu-nvidia"},
      {"demo --clusters foo:2", "emu-nvidia"},
      {"demo --clusters emu-nvidia:2 --order emu-amd,emu-amd", "emu-nvidia"},
      {"demo --order emu-amd,foo", "'foo'"},
      {"demo --timeout 0", "timeout"},
      {"demo --fabric carrier-pigeon", "[shm, rc, uc, ud, ucx, tcp, udp, pigeons]"},
      {"demo --port 70000", "65535"},
      {"topo --input a\0b", "the locale of this process cannot spell the path 'a\0b': set LC_ALL="},
      {"demo --model forest", "mlp"},
      {"demo --steps 0", "--steps must be more than zero, not 0\n"},
      {"demo --kill 9@1", "from 0 to 3"},
      {"demo --kill 2@440", "440 steps, from 0 to 439"},
      {"bench", "all_reduce"},
      {"bench all_reduce -b 1K -e 8", "1024"},
      {"bench all_reduce -b x", "'x'"},
      {"bench all_reduce --type f99", "f32"},
      {"bench all_reduce --op xor", "sum"},
      {"bench all_reduce --inject flop", "flip:1"},
      {"bench all_reduce -n 0", "-n 0"},
      {"get", "oneccl"},
      {"plan", "all_reduce 256M --clusters"},
      {"plan all_reduce", "--clusters"},
      {"plan reshard 4/S0:2", "'TO'"},
      {"plan reshard /S0:2 4", "FROM needs a shape"},
      {"plan reshard 4/S0 4", "4096x1024/R:2,S0:4@8xnvidia; got 'S0'"},
      {"plan reshard 4 4 --rank 1", "ranks are 0 to 0"},
      {"store", "serve, ls, stat, bench"},
      {"store ls", "HOST:PORT"},
      {"store stat nowhere", "'nowhere' is not HOST:PORT"},
      {"store serve --memory much", "'much'"},
      {"store serve --keep 0", "at least 1 version"},
      {"topo --simulate 2x(8xNVIDIA", "an example"},
      {"topo --simulate (1xa) --split b=2", "no rank has vendor b"},
      {"topo --simulate (1xa) --input a.json", "give one of them"},
      {"topo --input /nowhere.json", "/nowhere.json"},
      {"topo --job nowhere", "HOST:PORT"},
      {"topo --job h:1 --measure", "leave --input"},
      {"topo --measure --simulate (1xa)", "ranks of a job"},
      {"topo --format png", "mermaid"},
      {"bench all_reduce --iters many", "--iters wants a whole number, for example 20; got 'many'"},
      {"bench all_reduce --iters 99999999999", "whole number"},
      {"demo --timeout soon", "--timeout wants a number; got 'soon'"},
      {"demo --steps x", "--steps wants a whole number; got 'x'"},
      {"demo --model forest", "--model wants one of"},
      {"config fabric", "no setting is called 'fabric'; did you mean TOMBOLO_FABRICS?"},
      {"env --vendor foo", "emu-nvidia"},
      {"topo diff (1xa)", "'B'"},
      {"trace", "'DIR'"},
      {"trace /nowhere", "/nowhere is no folder"},
      {"completion fish", "zsh"},
      {"doctor --need foo", "emu-nvidia"},
    };
  }

  @Test(timeOut = 300_000, dataProvider = "wrongUsage")
  public void shouldSayInOneLineWhatIsWrongWithTheUsage(String line, String word) {
    Ran ran = Ran.of(line);
    assertEquals(ran.code(), 2, ran.err());
    assertEquals(ran.out(), "");
    assertEquals(ran.err().lines().count(), 1, ran.err());
    assertTrue(ran.err().contains(word), ran.err());
    assertTrue(ran.err().startsWith("tombolo"), ran.err());
    assertFalse(ran.err().contains("Exception"), ran.err());
  }

  @Test(timeOut = 300_000)
  public void shouldListVendorsAsJson() {
    Ran ran = Ran.of("vendors --json");
    assertEquals(ran.code(), 0, ran.err());
    Set<String> names = new TreeSet<>();
    for (JsonElement vendor : JsonParser.parseString(ran.out()).getAsJsonArray()) {
      names.add(vendor.getAsJsonObject().get("name").getAsString());
      assertTrue(vendor.getAsJsonObject().has("provenance"), ran.out());
      boolean available = vendor.getAsJsonObject().get("available").getAsBoolean();
      assertTrue(vendor.getAsJsonObject().has(available ? "version" : "fix"), ran.out());
    }
    assertTrue(names.containsAll(ImmutableSet.of("emu-nvidia", "emu-amd", "intel")), ran.out());
  }

  @Test(timeOut = 300_000)
  public void shouldKnowItsVersion() {
    assertTrue(Ran.of("version").out().startsWith("tombolo "), Ran.of("version").out());
  }

  private static void collect(CommandLine command, List<Object[]> into) {
    into.add(new Object[] {command.getCommandSpec().qualifiedName()});
    command.getSubcommands().values().forEach(each -> collect(each, into));
  }

  private static Set<String> servicesIn(URL list) throws IOException {
    try (InputStream in = list.openStream()) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new TreeSet<>(Splitter.on('\n').omitEmptyStrings().trimResults().splitToList(text));
    }
  }

  private static Set<String> providedBy(URL descriptor) throws IOException {
    try (InputStream in = descriptor.openStream()) {
      Set<String> provided = new TreeSet<>();
      ModuleDescriptor.read(in).provides().stream()
          .filter(each -> each.service().equals(SERVICE))
          .forEach(each -> provided.addAll(each.providers()));
      return provided;
    }
  }
}
