// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.HashMultimap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.SetMultimap;
import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.tombolo.runtime.launch.JobLauncher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.testng.annotations.Test;
import picocli.CommandLine;

/**
 * Holds that every test that starts processes has a {@code timeOut}: a process that hangs would
 * otherwise hold up the whole build.
 *
 * <p>Read from the compiled tests: which methods call one another, down to {@link
 * ProcessBuilder#start}, a job's launcher, or a command.
 */
public class TimeLimitsTest {
  /** Of the product's own, what tests call to start a job; a command may start anything. */
  private static final ImmutableSet<String> STARTS =
      ImmutableSet.of(
          ProcessBuilder.class.getName() + "#start",
          Runtime.class.getName() + "#exec",
          JobLauncher.class.getName() + "#run",
          CommandLine.class.getName() + "#execute");

  @Test(timeOut = 120_000)
  public void shouldLimitTheTimeOfEveryTestThatStartsProcesses() {
    List<JavaMethod> tests = testsThatStartProcesses(classes());
    assertTrue(tests.size() > 5, "found only " + tests);
    List<String> unlimited =
        tests.stream()
            .filter(test -> annotation(test).orElseThrow().timeOut() == 0)
            .map(JavaMethod::getFullName)
            .toList();
    assertTrue(
        unlimited.isEmpty(),
        "these start processes and have no timeOut:\n" + String.join("\n", unlimited));
  }

  /** TestNG takes nothing of a class's annotation for methods that have their own. */
  @Test(timeOut = 120_000)
  public void shouldLimitTheTimeOfEveryMethodWhereAClassSeemsTo() {
    JavaClasses ours = classes().that(not(equivalentTo(LimitedInVain.class)));
    List<String> unlimited = unlimitedMethodsOf(ours);
    assertTrue(
        unlimited.isEmpty(),
        "their classes have a timeOut, they have none:\n" + String.join("\n", unlimited));
  }

  @Test(timeOut = 120_000)
  public void shouldSeeAMethodThatItsClassDoesNotLimit() {
    JavaClasses sample = new ClassFileImporter().importClasses(LimitedInVain.class);
    assertEquals(
        unlimitedMethodsOf(sample), List.of(LimitedInVain.class.getName() + ".unlimited()"));
  }

  /** Not run, as it is nested. */
  @Test(timeOut = 1)
  static final class LimitedInVain {
    @Test(timeOut = 1)
    public void limited() {}

    @Test
    public void unlimited() {}
  }

  private static List<String> unlimitedMethodsOf(JavaClasses classes) {
    return classes.stream()
        .filter(each -> limit(each.tryGetAnnotationOfType(Test.class)) > 0)
        .flatMap(each -> each.getMethods().stream())
        .filter(method -> method.isAnnotatedWith(Test.class))
        .filter(method -> limit(method.tryGetAnnotationOfType(Test.class)) == 0)
        .map(JavaMethod::getFullName)
        .toList();
  }

  private static long limit(Optional<Test> annotation) {
    return annotation.map(Test::timeOut).orElse(0L);
  }

  /** What the check has to see: a process that another class starts, in a lambda. */
  static final class Starter {
    private Starter() {}

    static Runnable later() {
      return () -> {
        try {
          Process unused = new ProcessBuilder("true").start();
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      };
    }
  }

  /** Not run: only classes with names of tests are. */
  static final class Sample {
    @Test(timeOut = 1)
    void indirectly() {
      Starter.later().run();
    }

    @Test
    void notAtAll() {
      int unused = List.of().size();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSeeAProcessThatIsStartedElsewhere() {
    JavaClasses sample = new ClassFileImporter().importClasses(Starter.class, Sample.class);
    assertEquals(
        testsThatStartProcesses(sample).stream().map(JavaMethod::getName).toList(),
        List.of("indirectly"));
  }

  /** All modules' tests, as far as they are compiled. */
  private static JavaClasses classes() {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false); // the JDK's own
    return new ClassFileImporter()
        .importPaths(
            ModuleDependencyTest.FOLDERS.values().stream()
                .map(ModuleDependencyTest::classes)
                .map(main -> main.resolveSibling("test-classes"))
                .filter(Files::isDirectory)
                .toArray(Path[]::new));
  }

  /** The tests among those that call what starts processes, however indirectly. */
  private static List<JavaMethod> testsThatStartProcesses(JavaClasses classes) {
    SetMultimap<String, JavaCodeUnit> callers = callers(classes);
    Set<JavaCodeUnit> starting = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(STARTS);
    while (!open.isEmpty()) {
      for (JavaCodeUnit caller : callers.get(open.pop())) {
        if (starting.add(caller)) {
          open.push(name(caller.getOwner(), caller.getName()));
        }
      }
    }
    return starting.stream()
        .filter(JavaMethod.class::isInstance)
        .map(JavaMethod.class::cast)
        .filter(each -> annotation(each).isPresent())
        .sorted(Comparator.comparing(JavaMethod::getFullName))
        .toList();
  }

  /**
   * A method's own, or its class's, of which public methods take nothing if they have their own.
   */
  private static Optional<Test> annotation(JavaMethod method) {
    Optional<Test> own = method.tryGetAnnotationOfType(Test.class);
    return own.isPresent() || !method.getModifiers().contains(JavaModifier.PUBLIC)
        ? own
        : method.getOwner().tryGetAnnotationOfType(Test.class);
  }

  /** Who calls or refers to a method; overloads are one. */
  private static SetMultimap<String, JavaCodeUnit> callers(JavaClasses classes) {
    SetMultimap<String, JavaCodeUnit> callers = HashMultimap.create();
    for (JavaClass each : classes) {
      for (JavaCodeUnit caller : each.getCodeUnits()) {
        Stream.of(caller.getCallsFromSelf(), caller.getCodeUnitReferencesFromSelf())
            .<JavaCodeUnitAccess<?>>flatMap(Set::stream)
            .forEach(access -> callers.put(callee(access.getTarget()), caller));
      }
    }
    return callers;
  }

  /** Where it is declared, if that is known: an inherited method is called by the heir's name. */
  private static String callee(CodeUnitAccessTarget target) {
    return target
        .resolveMember()
        .map(found -> name(found.getOwner(), found.getName()))
        .orElseGet(() -> name(target.getOwner(), target.getName()));
  }

  private static String name(JavaClass owner, String method) {
    return owner.getName() + "#" + method;
  }
}
