// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Name;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.testng.annotations.Test;

/**
 * Holds that no switch over one of our own enums has a {@code default}: whoever adds a constant is
 * told by the compiler what else there is to decide.
 *
 * <p>Sources are parsed but not attributed. In Java 17 only labels that are constants of an enum,
 * or fields of the class, are bare names, so a switch whose bare names are all constants of one of
 * our enums is one over that enum; and there are no switches over types.
 */
public class EnumSwitchTest {

  @Test
  public void shouldDecideForEveryConstantOfOurEnums() throws IOException {
    List<String> found = defaults(sources(Path.of(System.getProperty("tombolo.root"))));
    assertTrue(
        found.isEmpty(),
        "name the constants in place of 'default', so that a new one does not compile:\n"
            + String.join("\n", found));
  }

  @Test
  public void shouldFindADefaultInBothSortsOfSwitch() throws IOException {
    String source =
        """
        class Signal {
          enum Light { RED, GREEN }
          int good(Light light) { return switch (light) { case RED -> 1; case GREEN -> 2; }; }
          int number(int n) { return switch (n) { case 1 -> 1; default -> 2; }; }
          int bad(Light light) { return switch (light) { case RED -> 1; default -> 2; }; }
          void worse(Light light) {
            switch (light) {
              case GREEN: good(light);
              default: break;
            }
          }
        }
        """;
    assertEquals(
        defaults(List.of(new Source(source))), List.of("/Signal.java:5", "/Signal.java:7"));
  }

  /** A file in memory. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("memory:/Signal.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static List<JavaFileObject> sources(Path root) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (Stream<Path> paths = Files.walk(root);
        StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, UTF_8)) {
      List<Path> sources = paths.filter(path -> isOurs(root.relativize(path).toString())).toList();
      return ImmutableList.copyOf(files.getJavaFileObjectsFromPaths(sources));
    }
  }

  private static boolean isOurs(String path) {
    return path.endsWith(".java")
        && (path.contains("src/main/java") || path.contains("src/test/java"))
        && !path.contains("target/");
  }

  /** Where a switch over an enum of {@code sources} has a default. */
  private static List<String> defaults(List<JavaFileObject> sources) throws IOException {
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    List<CompilationUnitTree> units = ImmutableList.copyOf(task.parse());
    List<Set<String>> enums = new ArrayList<>();
    units.forEach(unit -> new Enums(enums).scan(unit, null));
    List<String> found = new ArrayList<>();
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    for (CompilationUnitTree unit : units) {
      new Switches(
              enums,
              tree ->
                  found.add(
                      unit.getSourceFile().toUri().getPath()
                          + ":"
                          + unit.getLineMap()
                              .getLineNumber(positions.getStartPosition(unit, tree))))
          .scan(unit, null);
    }
    return found;
  }

  /** Collects the constants of each enum. */
  private static final class Enums extends TreeScanner<Void, Void> {
    private final List<Set<String>> enums;

    Enums(List<Set<String>> enums) {
      this.enums = enums;
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
      if (tree.getKind() == Tree.Kind.ENUM) {
        Name name = tree.getSimpleName();
        enums.add(
            tree.getMembers().stream()
                .filter(VariableTree.class::isInstance)
                .map(VariableTree.class::cast)
                .filter(
                    field ->
                        field.getType() instanceof IdentifierTree type && type.getName() == name)
                .map(field -> field.getName().toString())
                .collect(ImmutableSet.toImmutableSet()));
      }
      return super.visitClass(tree, null);
    }
  }

  /** Tells of the switches over enums that have a default. */
  private static final class Switches extends TreeScanner<Void, Void> {
    private final List<Set<String>> enums;
    private final Consumer<Tree> found;

    Switches(List<Set<String>> enums, Consumer<Tree> found) {
      this.enums = enums;
      this.found = found;
    }

    @Override
    public Void visitSwitch(SwitchTree tree, Void unused) {
      check(tree, tree.getCases());
      return super.visitSwitch(tree, null);
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree tree, Void unused) {
      check(tree, tree.getCases());
      return super.visitSwitchExpression(tree, null);
    }

    private void check(Tree tree, List<? extends CaseTree> cases) {
      boolean hasDefault = cases.stream().anyMatch(each -> each.getExpressions().isEmpty());
      List<ExpressionTree> labels =
          cases.stream().<ExpressionTree>flatMap(each -> each.getExpressions().stream()).toList();
      boolean bare = labels.stream().allMatch(IdentifierTree.class::isInstance);
      if (hasDefault && bare && !labels.isEmpty()) {
        Set<String> names = labels.stream().map(Object::toString).collect(Collectors.toSet());
        if (enums.stream().anyMatch(constants -> constants.containsAll(names))) {
          found.accept(tree);
        }
      }
    }
  }
}
