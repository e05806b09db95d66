// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.testng.annotations.Test;

/**
 * Holds that the libraries spell numbers alike in every locale: {@code %d} of a program that runs
 * in Egypt gives Arabic digits, and messages are searched, compared and sent to other ranks. Whole
 * numbers go by {@code %s}; what needs a width or a fraction names {@code Locale.ROOT}. Our own
 * commands set the locale of their formats, and need not.
 */
public class PlainDigitsTest {
  private static final Pattern LOCALIZED = Pattern.compile("%[-+,0-9.#(]*[deEfgG]");

  @Test
  public void shouldSpellNumbersAlikeInEveryLocale() throws IOException {
    List<String> found = localized(SourceTrees.ours(PlainDigitsTest::isOfALibrary));
    assertTrue(
        found.isEmpty(),
        "use %s, or Locale.ROOT, so that digits are ASCII's in every locale:\n"
            + String.join("\n", found));
  }

  @Test
  public void shouldFindFormatsOfTheLocale() throws IOException {
    String source =
        """
        class Said {
          String a = "rank %d".formatted(1);
          String b = String.format("%.1f" + " ms", 1.0);
          String c = "rank %s of 5%%".formatted(1);
          String d = String.format(Locale.ROOT, "%,d", 1);
          String e = ("rank %s"
              + " of %d").formatted(1, 2);
        }
        """;
    assertEquals(
        localized(SourceTrees.of("Said", source)),
        List.of("/Said.java:2", "/Said.java:3", "/Said.java:6"));
  }

  private static boolean isOfALibrary(String path) {
    return path.contains("src/main/java")
        && !path.startsWith("runtime/cli/")
        && !path.startsWith("bench/");
  }

  private static List<String> localized(SourceTrees sources) {
    List<String> found = new ArrayList<>();
    for (CompilationUnitTree unit : sources.units()) {
      new Formats(tree -> found.add(sources.place(unit, tree))).scan(unit, null);
    }
    return found;
  }

  /** Tells of formats of numbers that name no locale. */
  private static final class Formats extends TreeScanner<Void, Void> {
    private final Consumer<Tree> found;

    Formats(Consumer<Tree> found) {
      this.found = found;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void unused) {
      if (isFormat(tree)
          && !tree.getArguments().toString().contains("Locale.ROOT")
          && LOCALIZED.matcher(tree.toString()).find()) {
        found.accept(tree);
      }
      return super.visitMethodInvocation(tree, null);
    }

    private static boolean isFormat(MethodInvocationTree tree) {
      return tree.getMethodSelect() instanceof MemberSelectTree select
          && List.of("format", "formatted", "printf").contains(select.getIdentifier().toString());
    }
  }
}
