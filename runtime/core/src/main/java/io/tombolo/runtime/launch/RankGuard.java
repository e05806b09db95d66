// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.StoreHost;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * In a rank: sees to it that the process does not outlive its job, even if it is stuck in a library
 * that cannot be interrupted.
 */
public final class RankGuard implements AutoCloseable {
  /** Exit code of a rank that did not end by itself after the job had failed. */
  public static final int STUCK = 70;

  private final FailureWatch watch;

  private RankGuard(FailureWatch watch) {
    this.watch = watch;
  }

  /**
   * Watches for the first failure in the job, the loss of its launcher included.
   *
   * @param grace how long the process may go on after that before it is halted with {@link #STUCK}
   * @param onFailure gets the failure's text, so that it can abort what is under way
   */
  public static RankGuard start(
      JobEnvironment environment, Duration grace, Consumer<String> onFailure) {
    return new RankGuard(
        FailureWatch.start(
            environment.openStore(),
            StoreHost.of(environment),
            failure -> {
              haltAfter(grace);
              onFailure.accept(failure.text());
            }));
  }

  /** Ends the watch; call it before the process ends by itself. */
  @Override
  public void close() {
    watch.close();
  }

  private static void haltAfter(Duration grace) {
    Thread last =
        new Thread(
            () -> {
              try {
                Thread.sleep(grace.toMillis());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              Runtime.getRuntime().halt(STUCK);
            },
            "tombolo-halt");
    last.setDaemon(true);
    last.start();
  }
}
