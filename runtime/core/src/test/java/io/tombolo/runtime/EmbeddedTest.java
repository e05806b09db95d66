// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.Resources;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/** A C program embeds the JVM and hands Tombolo its own stream and memory, as plug-ins will. */
public class EmbeddedTest {
  private static final int RANKS = 2;
  private static final int LIMIT_S = 60;

  @Test(timeOut = 300_000)
  public void shouldWorkOnAStreamAndMemoryOfTheProgramAroundIt() throws Exception {
    Path folder = Files.createTempDirectory("tombolo-embed");
    Path program = compile(folder);
    JobToken token = JobToken.random();
    try (TcpStoreServer store =
        TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token)) {
      List<Process> ranks = new ArrayList<>();
      for (int rank = 0; rank < RANKS; rank++) {
        ranks.add(
            start(program, log(folder, rank), environment(rank, store.address().getPort(), token)));
      }
      for (int rank = 0; rank < RANKS; rank++) {
        Process process = ranks.get(rank);
        boolean ended = process.waitFor(LIMIT_S, TimeUnit.SECONDS);
        process.destroyForcibly();
        String output = Files.readString(log(folder, rank));
        assertTrue(ended && process.exitValue() == 0, "rank " + rank + ": " + output);
        assertTrue(output.contains("embed: rank " + rank + " holds the sum"), output);
        assertEquals(output.lines().filter(line -> line.contains("in native method")).count(), 0);
      }
    }
  }

  private static JobEnvironment environment(int rank, int port, JobToken token) {
    return new JobEnvironment(
        rank,
        RANKS,
        rank,
        "127.0.0.1",
        port,
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "emu-nvidia",
        Duration.ofSeconds(30),
        ImmutableSortedMap.of("device", Integer.toString(rank)));
  }

  private static Path compile(Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve("embed.c");
    Path program = folder.resolve("embed");
    Files.write(
        source, Resources.toByteArray(Resources.getResource(EmbeddedTest.class, "embed.c")));
    String jdk = System.getProperty("java.home");
    Process gcc =
        new ProcessBuilder(
                "gcc",
                "-std=c11",
                "-D_GNU_SOURCE",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-O1",
                "-I" + jdk + "/include",
                "-I" + jdk + "/include/linux",
                source.toString(),
                "-o",
                program.toString(),
                "-ldl")
            .redirectErrorStream(true)
            .start();
    String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
    assertEquals(gcc.waitFor(), 0, output);
    return program;
  }

  private static Path log(Path folder, int rank) {
    return folder.resolve("rank-" + rank + ".log");
  }

  private static Process start(Path program, Path log, JobEnvironment environment)
      throws IOException {
    String jvm = System.getProperty("java.home") + "/lib/server/libjvm.so";
    String classes =
        System.getProperty("jdk.module.path", "")
            + File.pathSeparator
            + System.getProperty("java.class.path");
    ProcessBuilder builder = new ProcessBuilder(program.toString(), jvm, classes);
    builder.environment().putAll(environment.toVariables());
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }
}
