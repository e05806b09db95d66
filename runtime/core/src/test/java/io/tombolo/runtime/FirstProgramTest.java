// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.testng.annotations.Test;

/** The first program of the documents, as a reader would copy it. */
public class FirstProgramTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test(timeOut = 120_000)
  public void shouldCompileAndAddUpWhatTheDocumentsPromise()
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("first-program");
    String document = Files.readString(Path.of("../../docs/using-it.md"));
    Matcher program = PROGRAM.matcher(document);
    assertTrue(program.find(), "no program in docs/using-it.md");
    Path source = Files.writeString(folder.resolve("Sum.java"), program.group(1));
    String classPath = System.getProperty("java.class.path");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-cp", classPath, source.toString());
    assertEquals(compiled, 0, "javac of the first program");
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command(classPath + ":" + folder))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("TOMBOLO_TIMEOUT_MS", "60000"); // beside all the other tests
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(100, TimeUnit.SECONDS), "the first program has not ended");
    } finally {
      process.destroyForcibly();
    }
    List<String> wanted =
        IntStream.range(0, 4).mapToObj(rank -> "rank " + rank + ": [4.0, 8.0, 12.0, 6.0]").toList();
    List<String> said = Files.readAllLines(output);
    assertEquals(
        said.stream().filter(line -> line.startsWith("rank ")).sorted().toList(),
        wanted,
        said.toString());
    wanted.forEach(line -> assertTrue(document.contains(line), line));
  }

  private static List<String> command(String classPath) {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    return command.add("-cp", classPath, "Sum").build();
  }
}
