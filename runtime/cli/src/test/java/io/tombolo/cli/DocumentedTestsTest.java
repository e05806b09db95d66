// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.annotations.Test;

/**
 * Holds that each test that the documents name is there: a class, its method, or a file. The page
 * about torch names torch's own as well, and is left out.
 */
public class DocumentedTestsTest {
  private static final Pattern NAMED =
      Pattern.compile(
          "`(?:(?<class>[A-Z]\\w*Test)(?:\\.(?<method>\\w+))?|(?<file>\\w+_test\\.c|test_\\w+\\.py))`");

  @Test
  public void shouldHaveEachTestThatADocumentNames() throws IOException {
    ImmutableMap<String, String> tests = tests();
    List<String> missing = new ArrayList<>();
    for (Path page : SourceTrees.files(name -> name.matches("(docs/)?(?!torch)[\\w-]+\\.md"))) {
      missing(Files.readString(page), tests).forEach(name -> missing.add(page + ": " + name));
    }
    assertEquals(missing, List.of());
  }

  @Test
  public void shouldFindWhatIsMissing() {
    ImmutableMap<String, String> tests =
        ImmutableMap.of("ATest.java", "void shouldDoIt() {", "a_test.c", "", "test_a.py", "");
    String page =
        "`ATest.shouldDoIt`, `ATest.should`, `BTest`, `a_test.c`, `b_test.c`, `test_a.py`";
    assertEquals(missing(page, tests), List.of("ATest.should", "BTest", "b_test.c"));
  }

  /** The text of each, by the name of its file. */
  private static ImmutableMap<String, String> tests() throws IOException {
    ImmutableMap.Builder<String, String> tests = ImmutableMap.builder();
    for (Path file :
        SourceTrees.files(name -> name.matches(".*(Test\\.java|_test\\.c|/test_\\w+\\.py)"))) {
      tests.put(file.getFileName().toString(), Files.readString(file));
    }
    ImmutableMap<String, String> all = tests.buildKeepingLast();
    assertTrue(all.size() > 100, "found only " + all.keySet());
    return all;
  }

  private static List<String> missing(String page, ImmutableMap<String, String> tests) {
    List<String> missing = new ArrayList<>();
    Matcher named = NAMED.matcher(page);
    while (named.find()) {
      if (!isThere(named, tests)) {
        String name = named.group();
        missing.add(name.substring(1, name.length() - 1));
      }
    }
    return missing;
  }

  private static boolean isThere(Matcher named, ImmutableMap<String, String> tests) {
    if (named.group("file") != null) {
      return tests.containsKey(named.group("file"));
    }
    return Optional.ofNullable(tests.get(named.group("class") + ".java"))
        .filter(
            text ->
                named.group("method") == null || text.contains(" " + named.group("method") + "("))
        .isPresent();
  }
}
