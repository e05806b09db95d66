// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Runs seeds of simulated jobs, and prints each. */
final class SomeSeeds {
  private static final String JOB = "io.tombolo.runtime.SimulatedJob";

  private SomeSeeds() {}

  /** A job of the classes of {@code loader}. */
  static Simulation.Scene job(RewritingLoader loader) throws ReflectiveOperationException {
    return (Simulation.Scene) loader.loadClass(JOB).getConstructor().newInstance();
  }

  /** What goes wrong in such a job with {@code seed}, which it prints. */
  static Optional<AssertionError> errorOf(RewritingLoader loader, long seed)
      throws ReflectiveOperationException {
    Simulation.Scene job = job(loader);
    try {
      Trace trace = Simulation.run(seed, job);
      System.out.println("seed " + seed + ": " + job + "; " + trace.steps() + " steps");
      return Optional.empty();
    } catch (AssertionError e) {
      System.out.println("seed " + seed + ": " + job + "; " + e);
      return Optional.of(e);
    }
  }

  /** Runs the seeds from the first argument, in steps of the second, up to the third. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    RewritingLoader loader = new RewritingLoader(UnaryOperator.identity());
    long step = Long.parseLong(arguments[1]);
    long end = Long.parseLong(arguments[2]);
    List<AssertionError> errors = new ArrayList<>();
    for (long seed = Long.parseLong(arguments[0]); seed < end; seed += step) {
      errorOf(loader, seed).ifPresent(errors::add);
    }
    if (!errors.isEmpty()) {
      throw new AssertionError(errors.size() + " seeds fail; the first is", errors.get(0));
    }
  }
}
