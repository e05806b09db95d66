// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** Holds that no two classes of ours share a name: who reads one need not ask which it is. */
public class ClassNamesTest {
  @Test
  public void shouldNameEachClassOnce() throws IOException {
    assertEquals(
        shared(
            SourceTrees.files(path -> path.contains("src/main/java/") && path.endsWith(".java"))),
        List.of());
  }

  @Test
  public void shouldFindNamesThatAreShared() {
    List<Path> sources =
        List.of(
            Path.of("a/Link.java"),
            Path.of("b/Link.java"),
            Path.of("b/Links.java"),
            Path.of("a/package-info.java"),
            Path.of("b/package-info.java"));
    assertEquals(shared(sources), List.of("Link.java in a and b"));
  }

  private static List<String> shared(List<Path> sources) {
    ImmutableListMultimap<String, Path> named =
        Multimaps.index(sources, source -> source.getFileName().toString());
    return Multimaps.asMap(named).entrySet().stream()
        .filter(each -> each.getValue().size() > 1 && !each.getKey().endsWith("-info.java"))
        .map(each -> each.getKey() + " in " + parents(each.getValue()))
        .toList();
  }

  private static String parents(List<Path> sources) {
    return sources.stream()
        .map(source -> source.getParent().toString())
        .collect(Collectors.joining(" and "));
  }
}
