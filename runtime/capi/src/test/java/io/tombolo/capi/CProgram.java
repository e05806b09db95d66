// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;

import io.tombolo.base.JobToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A C program that is compiled as a user would, against {@code tombolo.h} and the library. */
record CProgram(Path executable) {
  private static final Path MODULE = Path.of(System.getProperty("tombolo.root"), "runtime/capi");
  private static final long LIMIT_S = 120;

  /**
   * For programs of seconds: the second compiler and a concurrent collector cost more than they
   * gain.
   */
  private static final String JAVA_OPTIONS =
      "-Xcheck:jni -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData";

  /** Compiles {@code source}, a path in this module. */
  static CProgram of(String source) {
    Path file = MODULE.resolve(source);
    Path executable =
        Path.of(System.getProperty("java.io.tmpdir"), "capi-" + file.getFileName() + ".out");
    Path library = library().getParent();
    List<String> command =
        List.of(
            System.getenv().getOrDefault("CC", "gcc"),
            "-std=c11",
            "-D_GNU_SOURCE",
            "-O1",
            "-g",
            "-pthread",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
            MODULE.resolve("src/main/c/include").toString(),
            "-I",
            System.getProperty("java.home") + "/include",
            "-I",
            System.getProperty("java.home") + "/include/linux",
            "-o",
            executable.toString(),
            file.toString(),
            "-L",
            library.toString(),
            "-ltombolo",
            "-Wl,-rpath," + library);
    Ended gcc = run(command, Map.of()).await();
    assertEquals(gcc.status(), 0, gcc.output());
    return new CProgram(executable);
  }

  /** The library of this build. */
  static Path library() {
    String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64";
    try {
      URI found =
          Shell.class.getResource("/META-INF/native/linux-" + arch + "/libtombolo.so").toURI();
      return Path.of(found);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How a process has ended, and what it has said on both channels. */
  record Ended(int status, String output) {}

  /** A process under way, whose output goes to a file: a pipe could be held open by others. */
  record Running(Process process, Path output) {
    Ended await() {
      try {
        boolean ended = process.waitFor(LIMIT_S, TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = Files.readString(output, UTF_8);
        return new Ended(ended ? process.exitValue() : -1, text);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** Runs it as a job with a rank for each of {@code vendors}, and requires that all end well. */
  List<Ended> runJob(List<String> vendors, Map<String, String> more, String... arguments) {
    String token = JobToken.random().hex();
    int port = FreePort.find();
    List<Running> ranks = new ArrayList<>();
    for (int rank = 0; rank < vendors.size(); rank++) {
      Map<String, String> environment = new TreeMap<>();
      environment.put("RANK", Integer.toString(rank));
      environment.put("LOCAL_RANK", Integer.toString(rank));
      environment.put("WORLD_SIZE", Integer.toString(vendors.size()));
      environment.put("LOCAL_WORLD_SIZE", Integer.toString(vendors.size()));
      environment.put("MASTER_ADDR", "127.0.0.1");
      environment.put("MASTER_PORT", Integer.toString(port));
      environment.put("TOMBOLO_TOKEN", token);
      environment.put("TOMBOLO_VENDOR", vendors.get(rank));
      environment.put("TOMBOLO_TIMEOUT_MS", "60000");
      environment.putAll(more);
      ranks.add(start(environment, arguments));
    }
    List<Ended> ends = ranks.stream().map(Running::await).toList();
    String said = String.join("\n---\n", ends.stream().map(Ended::output).toList());
    ends.forEach(end -> assertEquals(end.status(), 0, said));
    return ends;
  }

  /** Runs it once for each of {@code argumentLists}, at the same time, without a launcher. */
  List<Ended> runAll(List<List<String>> argumentLists) {
    List<Running> processes =
        argumentLists.stream()
            .map(arguments -> start(Map.of(), arguments.toArray(String[]::new)))
            .toList();
    return processes.stream().map(Running::await).toList();
  }

  /** Runs it alone. */
  Ended run(Map<String, String> environment, String... arguments) {
    return start(environment, arguments).await();
  }

  private Running start(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of(executable.toString()));
    command.addAll(List.of(arguments));
    return run(command, environment);
  }

  private static Running run(List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TOMBOLO_CLASS_PATH", System.getProperty("java.class.path"));
    builder.environment().put("TOMBOLO_JAVA_OPTS", JAVA_OPTIONS);
    builder.environment().putAll(environment);
    try {
      Path output = Files.createTempFile("capi", ".txt");
      return new Running(builder.redirectOutput(output.toFile()).start(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
