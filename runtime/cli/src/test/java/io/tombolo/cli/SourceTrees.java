// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Java sources, parsed but not attributed, for tests that hold rules about them. */
final class SourceTrees {
  private final ImmutableList<CompilationUnitTree> units;
  private final SourcePositions positions;

  private SourceTrees(List<JavaFileObject> sources) throws IOException {
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    units = ImmutableList.copyOf(task.parse());
    positions = Trees.instance(task).getSourcePositions();
  }

  /** Ours, if {@code wanted} says so of their paths. */
  static SourceTrees ours(Predicate<String> wanted) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, Locale.ROOT, UTF_8)) {
      return new SourceTrees(
          ImmutableList.copyOf(
              files.getJavaFileObjectsFromPaths(files(path -> isJava(path) && wanted.test(path)))));
    }
  }

  /** Of one class that is called {@code name}. */
  static SourceTrees of(String name, String text) throws IOException {
    return new SourceTrees(
        List.of(
            new SimpleJavaFileObject(
                URI.create("memory:/" + name + ".java"), JavaFileObject.Kind.SOURCE) {
              @Override
              public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
              }
            }));
  }

  /** Files of the repository whose path in it {@code wanted} accepts, but none that was built. */
  static List<Path> files(Predicate<String> wanted) throws IOException {
    Path root = Path.of(System.getProperty("tombolo.root"));
    try (Stream<Path> paths = Files.walk(root)) {
      return paths
          .filter(
              path -> {
                String name = root.relativize(path).toString();
                return !name.contains("target/") && wanted.test(name);
              })
          .toList();
    }
  }

  private static boolean isJava(String path) {
    return path.endsWith(".java")
        && (path.contains("src/main/java") || path.contains("src/test/java"));
  }

  ImmutableList<CompilationUnitTree> units() {
    return units;
  }

  /** The line that {@code tree} begins in. */
  long line(CompilationUnitTree unit, Tree tree) {
    return unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
  }

  /** Where {@code tree} is: path and line. */
  String place(CompilationUnitTree unit, Tree tree) {
    return unit.getSourceFile().toUri().getPath() + ":" + line(unit, tree);
  }
}
