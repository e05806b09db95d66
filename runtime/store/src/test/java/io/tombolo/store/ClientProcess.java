// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.JobToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Processes of tests, which have the test's class path and a token, and are killed. */
final class ClientProcess {
  private ClientProcess() {}

  /** One that runs the main method of a class. */
  static Process start(Class<?> program, JobToken token, String... arguments) throws IOException {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp");
    command.add(System.getProperty("java.class.path"), program.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command.build());
    builder.environment().put("TOMBOLO_TOKEN", token.hex());
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Waits until it prints its first line, which has to be this. */
  static void awaitFirst(Process client, String line) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
    assertEquals(out.readLine(), line);
  }
}
