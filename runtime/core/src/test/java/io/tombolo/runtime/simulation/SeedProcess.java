// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.EvictingQueue;
import com.google.common.collect.ImmutableList;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A process that runs some of the seeds, on one processor alone: the threads of a world take turns,
 * and to wake one on another processor takes longer than most turns do.
 */
final class SeedProcess implements AutoCloseable {
  private static final int MAX_PROCESSES = 16;
  private static final int LAST_LINES = 120;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String ALLOWED = "Cpus_allowed_list:";

  private final Process process;
  private final Queue<String> last = EvictingQueue.create(LAST_LINES);
  private final Thread reader = new Thread(this::read, "seeds");

  private SeedProcess(Process process) {
    this.process = process;
    reader.setDaemon(true);
    reader.start();
  }

  /** Runs {@link SomeSeeds} of {@code scene} for all below {@code end}, on all processors. */
  static void runAll(String scene, long end) throws IOException, InterruptedException {
    List<Integer> processors = processors();
    int step = processors.size();
    ImmutableList.Builder<SeedProcess> started = ImmutableList.builder();
    try {
      for (int first = 0; first < step; first++) {
        List<String> which = Stream.of(scene, first, step, end).map(String::valueOf).toList();
        started.add(start(processors.get(first), SomeSeeds.class, which));
      }
      for (SeedProcess each : started.build()) {
        each.await();
      }
    } finally {
      started.build().forEach(SeedProcess::close);
    }
  }

  /** Runs {@code main} on {@code processor}. */
  static void run(int processor, Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    try (SeedProcess process = start(processor, main, arguments)) {
      process.await();
    }
  }

  private static SeedProcess start(int processor, Class<?> main, List<String> arguments)
      throws IOException {
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add("taskset", "-c", Integer.toString(processor))
            .add(Path.of(System.getProperty("java.home"), "bin", "java").toString())
            .add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xcheck:jni", "-Xmx512m", "-ea")
            .add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"))
            .add("-Dtombolo.root=" + System.getProperty("tombolo.root"))
            .add("-cp", System.getProperty("java.class.path"))
            .add(main.getName())
            .addAll(arguments)
            .build();
    return new SeedProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /** Those that this process may run on, by their numbers: the kernel's list is {@code 0-3,8}. */
  static List<Integer> processors() throws IOException {
    try (Stream<String> lines = Files.lines(STATUS)) {
      String list =
          lines
              .filter(each -> each.startsWith(ALLOWED))
              .findFirst()
              .orElseThrow()
              .substring(ALLOWED.length());
      return Splitter.on(',')
          .trimResults()
          .splitToStream(list)
          .flatMap(SeedProcess::range)
          .limit(Math.min(MAX_PROCESSES, Runtime.getRuntime().availableProcessors()))
          .toList();
    }
  }

  private static Stream<Integer> range(String text) {
    List<String> ends = Splitter.on('-').splitToList(text);
    return IntStream.rangeClosed(
            Integer.parseInt(ends.get(0)), Integer.parseInt(ends.get(ends.size() - 1)))
        .boxed();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(line);
        last.add(line);
      }
    } catch (IOException e) { // as when it is killed
      last.add(e.toString());
    }
  }

  private void await() throws InterruptedException {
    int status = process.waitFor();
    reader.join();
    if (status != 0) {
      throw new AssertionError("seeds fail:\n" + String.join("\n", last));
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
