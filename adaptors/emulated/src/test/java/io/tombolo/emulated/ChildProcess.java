// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A class's {@code main} in a JVM of its own, with its output.
 *
 * @param exitCode its exit status
 * @param output what it wrote to stdout and stderr
 */
record ChildProcess(int exitCode, String output) {
  private static final int RESTRICTS_NATIVE_ACCESS = 24;
  private static final int TIMEOUT_SECONDS = Boolean.getBoolean("tombolo.deep") ? 3600 : 120;

  static ChildProcess run(Class<?> main, Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xcheck:jni",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:+SuppressFatalErrorMessage",
            "-Xmx128m"));
    if (Runtime.version().feature() >= RESTRICTS_NATIVE_ACCESS) {
      command.add("--enable-native-access=ALL-UNNAMED"); // a warning would be part of the output
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(Arrays.asList(arguments));
    try {
      return run(command, environment);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("cannot run " + command, e);
    }
  }

  private static ChildProcess run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("child", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError(command + " hangs; it wrote: " + Files.readString(output, UTF_8));
      }
      return new ChildProcess(process.exitValue(), Files.readString(output, UTF_8));
    } finally {
      Files.delete(output);
    }
  }
}
