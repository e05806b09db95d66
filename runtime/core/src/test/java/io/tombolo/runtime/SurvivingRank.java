// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Some ranks are killed; the others find that out, and go on without them. */
final class SurvivingRank {
  /** Longer than the whole test: who waits for a rank that it could see is dead fails it. */
  private static final Duration NEVER_REACHED = Duration.ofHours(1);

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String ALL_HERE = "all here";

  private final Communicator communicator;

  SurvivingRank(Communicator communicator) {
    this.communicator = communicator;
  }

  /** One that is killed dies; the others return what they go on with, in which all is right. */
  Communicator goOn(boolean isKilled) throws IOException, InterruptedException {
    new EveryCall(communicator).run();
    fail(isKilled, 1);
    Communicator next = communicator.shrink(NEVER_REACHED);
    new EveryCall(next).run();
    String ranks = "rank %s of %s is %s of %s on %s";
    System.out.println(
        "SURVIVED "
            + ranks.formatted(
                communicator.rank(),
                communicator.size(),
                next.rank(),
                next.size(),
                next.clustering()));
    if (next.size() != communicator.size() - 1) {
      throw new AssertionError(next.size() + " ranks go on");
    }
    return next;
  }

  /**
   * As {@link #goOn}; then a new process takes the place of the one that died, and all is right
   * there, too.
   *
   * @param replacement the command that starts it
   */
  void replace(boolean isKilled, List<String> replacement)
      throws IOException, InterruptedException {
    try (Communicator survivors = goOn(isKilled)) {
      Optional<Process> started =
          survivors.rank() == 0
              ? Optional.of(new ProcessBuilder(replacement).inheritIO().start())
              : Optional.empty();
      try (Communicator grown = survivors.grow(1, LIMIT)) {
        checkGrown(grown);
      }
      if (started.isPresent() && started.get().waitFor() != 0) {
        throw new AssertionError("the new process ended with " + started.get().exitValue());
      }
    }
  }

  /** The process that is new. */
  static void comeAnew(Map<String, String> variables) {
    try (Communicator grown = Communicator.builder().environment(variables).joinGrowing(LIMIT)) {
      checkGrown(grown);
    }
  }

  private static void checkGrown(Communicator grown) {
    new EveryCall(grown).run();
    System.out.println("GROWN to %s ranks, this is rank %s".formatted(grown.size(), grown.rank()));
  }

  /** So many die that the others must not go on. */
  void giveUp(boolean isKilled) throws IOException, InterruptedException {
    fail(isKilled, 3);
    try (Communicator next = communicator.shrink(NEVER_REACHED)) {
      throw new AssertionError("goes on as one of " + next.size());
    } catch (NoQuorumException e) {
      System.out.println("TOLD " + e.getMessage());
    }
  }

  /**
   * Whoever is killed first hears that the others have come here: the news of a death overtakes
   * what they still wait for. The connection is its own, as another death may come before.
   */
  private void meet(boolean isKilled, int survivors) {
    String name = "survivors of " + communicator.size();
    try (Store desk = communicator.session().openPlace().narrowedTo(name)) {
      if (isKilled) {
        byte[] unused = desk.await(ALL_HERE, Deadline.after(LIMIT));
      } else if (desk.add("here", 1) == survivors) {
        desk.set(ALL_HERE, new byte[] {1});
      }
    }
  }

  private void fail(boolean isKilled, int killed) throws IOException, InterruptedException {
    meet(isKilled, communicator.size() - killed);
    if (isKilled) {
      String pid = Long.toString(ProcessHandle.current().pid());
      new ProcessBuilder("kill", "-KILL", pid).inheritIO().start().waitFor();
    }
    try (Stream stream = communicator.device().newStream()) {
      communicator.barrier(stream).await(LIMIT);
      throw new AssertionError("a call ended well that a dead rank takes part in");
    } catch (TomboloException e) {
      DeathInTheLibrary.await("the failure", () -> communicator.failure().isPresent());
    }
  }
}
