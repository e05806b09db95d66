// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.graph.Graph;
import com.google.common.graph.GraphBuilder;
import com.google.common.graph.Graphs;
import com.google.common.graph.MutableGraph;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Holds that the C files of a folder lie in layers: none calls what, on whatever way, calls it. */
public class NativeLayersTest {
  /** What cannot call: comments and strings. */
  private static final Pattern SILENT =
      Pattern.compile("/\\*.*?\\*/|//[^\\n]*|\"(?:[^\"\\\\\\n]|\\\\.)*\"", Pattern.DOTALL);

  /** A function that other files may call, in the layout of this project's sources. */
  private static final Pattern DEFINITION =
      Pattern.compile(
          "^(?!static\\b)[a-z][\\w *]*?\\b(\\w+)\\([^;{}]*\\)\\s*\\{", Pattern.MULTILINE);

  private static final Pattern WORD = Pattern.compile("\\b\\w+\\b");

  @DataProvider
  public static Object[][] folders() throws IOException {
    return ModuleDependencyTest.FOLDERS.values().stream()
        .map(module -> root().resolve(module).resolve("src/main/c"))
        .filter(Files::isDirectory)
        .flatMap(NativeLayersTest::children)
        .filter(folder -> !sources(folder).isEmpty())
        .map(folder -> new Object[] {root().relativize(folder)})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "folders", timeOut = 60_000)
  public void shouldHaveNoCycleOfCallsBetweenFiles(Path folder) {
    assertEquals(cyclic(calls(sources(root().resolve(folder)))), ImmutableSet.of());
  }

  @Test
  public void shouldFindACycle() {
    Graph<String> calls =
        calls(
            Map.of(
                "a.c", "int a(void) {\n  return b(1);\n}\n",
                "b.c", "int b(int x) { return x + c(); /* d() */ }\n",
                "c.c", "static int d(void) { return a(); }\nint c(void) { return d(); }\n",
                "d.c", "int d(void) { return a(); }\n"));
    assertEquals(cyclic(calls), ImmutableSet.of("a.c", "b.c", "c.c"));
    assertTrue(calls.hasEdgeConnecting("d.c", "a.c"));
  }

  private static Graph<String> calls(Map<String, String> sources) {
    Map<String, String> code = new TreeMap<>();
    sources.forEach((file, text) -> code.put(file, SILENT.matcher(text).replaceAll(" ")));
    Map<String, String> definedIn = new TreeMap<>();
    code.forEach((file, text) -> matches(DEFINITION, text, 1).forEach(f -> definedIn.put(f, file)));
    MutableGraph<String> calls = GraphBuilder.directed().build();
    code.forEach(
        (file, text) ->
            matches(WORD, text, 0)
                .filter(definedIn::containsKey)
                .filter(word -> !isOwn(word, text, file, definedIn))
                .forEach(word -> calls.putEdge(file, definedIn.get(word))));
    return calls;
  }

  /** A static function of a file hides another file's of that name. */
  private static boolean isOwn(
      String word, String text, String file, Map<String, String> definedIn) {
    return definedIn.get(word).equals(file)
        || Pattern.compile("^static\\b[^;{}()]*\\b" + word + "\\(", Pattern.MULTILINE)
            .matcher(text)
            .find();
  }

  /** The files that reach themselves. */
  private static ImmutableSortedSet<String> cyclic(Graph<String> calls) {
    return calls.nodes().stream()
        .filter(
            file ->
                calls.successors(file).stream()
                    .anyMatch(next -> Graphs.reachableNodes(calls, next).contains(file)))
        .collect(ImmutableSortedSet.toImmutableSortedSet(String::compareTo));
  }

  private static Stream<String> matches(Pattern pattern, String text, int group) {
    return pattern.matcher(text).results().map(found -> found.group(group));
  }

  private static Map<String, String> sources(Path folder) {
    Map<String, String> sources = new TreeMap<>();
    children(folder)
        .filter(file -> file.toString().endsWith(".c"))
        .forEach(file -> sources.put(file.getFileName().toString(), read(file)));
    return sources;
  }

  private static Stream<Path> children(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Stream.of();
    }
    try (Stream<Path> children = Files.list(folder)) {
      return children.sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    return Path.of(System.getProperty("tombolo.root"));
  }
}
