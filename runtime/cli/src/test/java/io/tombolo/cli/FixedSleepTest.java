// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.testng.annotations.Test;

/**
 * Holds that no test sleeps for a fixed time: on a busy machine that is too short, on a quiet one
 * it is wasted. A test waits for what it wants to see, in a loop that asks for it and has a
 * deadline; or it sleeps for a random time, to find races; or a comment says why: {@code // fixed
 * time: why}, in the line of the call or the one before.
 */
public class FixedSleepTest {
  private static final Pattern SLEEP =
      Pattern.compile(
          "Thread\\.sleep|(LockSupport\\.)?parkNanos"
              + "|(TimeUnit\\.)?(NANO|MICRO|MILLI)?SECONDS\\.sleep"
              + "|(Uninterruptibles\\.)?sleepUninterruptibly");

  /** Of a thread, for a number of milliseconds. */
  private static final Pattern JOIN = Pattern.compile(".*\\.join\\([0-9_]+L?\\)", Pattern.DOTALL);

  /** A method's name and what opens its arguments. */
  private static final Pattern CALL = Pattern.compile("\\w\\(");

  private static final Pattern REASON = Pattern.compile("(//|/\\*|#) fixed time: \\w.*");
  private static final Pattern NATIVE_SLEEP =
      Pattern.compile("\\b(usleep|nanosleep|sleep)\\(|^\\s*sleep [0-9$]");
  private static final Pattern LOOP = Pattern.compile("\\b(for|while|until)\\b");

  /** Lines between the head of a loop of C, Python or a shell and a sleep in it. */
  private static final int LOOP_LINES = 3;

  @Test
  public void shouldWaitForConditionsInJava() throws IOException {
    assertNone(sleeps(SourceTrees.ours(path -> path.contains("src/test/java"))));
  }

  @Test
  public void shouldWaitForConditionsInOtherLanguages() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path path : SourceTrees.files(FixedSleepTest::isNativeTest)) {
      sleeps(Files.readAllLines(path, UTF_8)).forEach(line -> found.add(path + ":" + line));
    }
    assertNone(found);
  }

  private static boolean isNativeTest(String path) {
    return path.matches(".*/src/test/(c|programs)/.*\\.[ch]|runtime/torch/tests/.*\\.py");
  }

  private static void assertNone(List<String> found) {
    assertTrue(
        found.isEmpty(),
        "wait in a loop for what is to come, with a deadline; if it is time that matters, say why:"
            + " // fixed time: ...\n"
            + String.join("\n", found));
  }

  @Test
  public void shouldFindFixedSleepsInJava() throws IOException {
    String source =
        """
        class Naps {
          void bad() { Thread.sleep(10); }
          void alsoBad() { while (true) { TimeUnit.SECONDS.sleep(1); } }
          void thrice() { for (int i = 0; i < 3; i++) { LockSupport.parkNanos(5); } }
          void elsewhere() { while (!gate.isOpen()) { run(() -> Thread.sleep(1)); } }
          void joined() { thread.join(50); thread.join(); thread.join(LIMIT.toMillis()); }
          void good() { while (!gate.isOpen()) { Thread.sleep(1); } }
          void any() { LockSupport.parkNanos(random.nextInt(9)); gate.sleep(deadline); }
          // fixed time: idling is measured
          void idle() { Thread.sleep(100); }
          void explained() {
            Thread.sleep(100); // fixed time: idling is measured
            Thread.sleep(100); // a moment
          }
        }
        """;
    assertEquals(
        sleeps(SourceTrees.of("Naps", source)),
        List.of(
            "/Naps.java:2",
            "/Naps.java:3",
            "/Naps.java:4",
            "/Naps.java:5",
            "/Naps.java:6",
            "/Naps.java:13"));
  }

  @Test
  public void shouldFindFixedSleepsInOtherLanguages() {
    assertEquals(
        sleeps(
            List.of(
                "  (void)usleep(50000);",
                "  for (int i = 0; i < 5000 && !done; i++) {",
                "    (void)usleep(1000);",
                "  }",
                "  look();",
                "  (void)nanosleep(&rest, NULL);",
                "  /* fixed time: the signal ends it */",
                "  (void)sleep(20);",
                "  time.sleep(1)  # fixed time: between two looks",
                "sleep 1")),
        List.of(1, 6, 10));
  }

  private static List<Integer> sleeps(List<String> lines) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (NATIVE_SLEEP.matcher(lines.get(i)).find()
          && !hasReason(lines, i + 1)
          && lines.subList(Math.max(0, i - LOOP_LINES), i + 1).stream()
              .noneMatch(line -> LOOP.matcher(line).find())) {
        found.add(i + 1);
      }
    }
    return found;
  }

  private static List<String> sleeps(SourceTrees sources) throws IOException {
    List<String> found = new ArrayList<>();
    for (CompilationUnitTree unit : sources.units()) {
      List<String> lines = unit.getSourceFile().getCharContent(true).toString().lines().toList();
      new Sleeps(
              tree -> {
                if (!hasReason(lines, (int) sources.line(unit, tree))) {
                  found.add(sources.place(unit, tree));
                }
              })
          .scan(unit, null);
    }
    return found;
  }

  private static boolean hasReason(List<String> lines, int lineNumber) {
    return REASON.matcher(lines.get(lineNumber - 1)).find()
        || (lineNumber > 1 && REASON.matcher(lines.get(lineNumber - 2).strip()).matches());
  }

  /** Tells of sleeps for a fixed time that are not in a loop which asks for something. */
  private static final class Sleeps extends TreePathScanner<Void, Void> {
    private final Consumer<Tree> found;

    Sleeps(Consumer<Tree> found) {
      this.found = found;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void unused) {
      boolean sleeps =
          SLEEP.matcher(tree.getMethodSelect().toString()).matches()
              || JOIN.matcher(tree.toString()).matches();
      boolean random = tree.getArguments().toString().contains("random.");
      if (sleeps && !random && !isInWait(getCurrentPath())) {
        found.accept(tree);
      }
      return super.visitMethodInvocation(tree, null);
    }

    private static boolean isInWait(TreePath call) {
      for (Tree around : call) {
        if (around instanceof MethodTree || around instanceof LambdaExpressionTree) {
          return false;
        }
        if (asks(condition(around))) {
          return true;
        }
      }
      return false;
    }

    private static Tree condition(Tree tree) {
      if (tree instanceof WhileLoopTree loop) {
        return loop.getCondition();
      }
      if (tree instanceof DoWhileLoopTree loop) {
        return loop.getCondition();
      }
      return tree instanceof ForLoopTree loop ? loop.getCondition() : null;
    }

    private static boolean asks(Tree condition) {
      return condition != null && CALL.matcher(condition.toString()).find();
    }
  }
}
