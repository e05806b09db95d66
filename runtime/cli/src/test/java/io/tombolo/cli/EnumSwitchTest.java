// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

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
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.lang.model.element.Name;
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
    List<String> found = defaults(SourceTrees.ours(path -> true));
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
        defaults(SourceTrees.of("Signal", source)), List.of("/Signal.java:5", "/Signal.java:7"));
  }

  /** Where a switch over an enum of {@code sources} has a default. */
  private static List<String> defaults(SourceTrees sources) {
    List<Set<String>> enums = new ArrayList<>();
    sources.units().forEach(unit -> new Enums(enums).scan(unit, null));
    List<String> found = new ArrayList<>();
    for (CompilationUnitTree unit : sources.units()) {
      new Switches(enums, tree -> found.add(sources.place(unit, tree))).scan(unit, null);
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
