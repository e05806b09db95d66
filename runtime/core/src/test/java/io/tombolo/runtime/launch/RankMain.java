// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.stream.IntStream;

/** What the ranks of the launcher's tests run: all meet in the store, then each plays its part. */
public final class RankMain {
  private RankMain() {}

  /** Runs the part called {@code args[0]}. */
  public static void main(String[] args) throws Exception {
    JobEnvironment environment = JobEnvironment.from(System.getenv());
    Duration grace = Duration.ofMillis(Long.parseLong(args.length > 1 ? args[1] : "500"));
    try (Store store = environment.openStore();
        RankGuard guard = RankGuard.start(environment, grace, text -> say("heard", text))) {
      store.set("here/" + environment.rank(), "x".getBytes(UTF_8));
      store
          .within("here")
          .awaitAll(
              IntStream.range(0, environment.size()).mapToObj(Integer::toString).toList(),
              environment.deadline());
      say("all here", environment.vendor() + " " + environment.settings().get("segment_bytes"));
      play(args[0], environment, store);
    }
  }

  private static void play(String part, JobEnvironment environment, Store store) throws Exception {
    boolean first = environment.rank() == 0;
    switch (part) {
      case "end well" -> System.err.println("a line for people");
      case "rank 0 fails" -> {
        if (first) {
          System.err.println("no such device");
          System.exit(3);
        }
        linger();
      }
      case "rank 0 throws" -> {
        if (first) {
          new IllegalStateException("no such device").printStackTrace();
          System.exit(3);
        }
        linger();
      }
      case "rank 0 reports" -> {
        if (first) {
          FailureWatch.report(store, 0, "counts differ");
        }
        linger();
      }
      case "rank 1 reports" -> {
        if (!first) {
          FailureWatch.report(store, 1, "rank 0 is gone");
        }
        linger();
      }
      case "linger" -> linger();
      case "say where, and linger" -> {
        sayWhere(environment);
        linger();
      }
      case "say where" -> sayWhere(environment);
      default -> throw new IllegalArgumentException(part);
    }
  }

  private static void sayWhere(JobEnvironment environment) {
    String size = System.getenv("LOCAL_WORLD_SIZE");
    String host = System.getenv("TEST_HOST");
    say(
        "process",
        ProcessHandle.current().pid() + " " + environment.localRank() + "/" + size + " on " + host);
  }

  private static void say(String what, String text) {
    System.out.println(RankEvents.line(what + ": " + text));
    System.out.flush();
  }

  private static void linger() throws InterruptedException {
    Thread.sleep(60_000); // fixed time: the launcher ends it; if not, this does
  }
}
