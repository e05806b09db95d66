// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Runs seeds of simulated jobs, and prints each. */
final class SomeSeeds {
  /** A job that meets one fault or two. */
  static final String JOB = "io.tombolo.runtime.SimulatedJob";

  /** A job of which two ranks are cut off from each other. */
  static final String CUT = "io.tombolo.runtime.SimulatedCut";

  private SomeSeeds() {}

  /** A scene of the classes of {@code loader}. */
  static Simulation.Scene scene(RewritingLoader loader, String name)
      throws ReflectiveOperationException {
    return (Simulation.Scene) loader.loadClass(name).getConstructor().newInstance();
  }

  /** What goes wrong in such a scene with {@code seed}, which it prints. */
  static Optional<AssertionError> errorOf(RewritingLoader loader, String name, long seed)
      throws ReflectiveOperationException {
    Simulation.Scene scene = scene(loader, name);
    try {
      Trace trace = Simulation.run(seed, scene);
      System.out.println("seed " + seed + ": " + scene + "; " + trace.steps() + " steps");
      return Optional.empty();
    } catch (AssertionError e) {
      System.out.println("seed " + seed + ": " + scene + "; " + e);
      return Optional.of(e);
    }
  }

  /**
   * Runs of a scene the seeds from the second argument, in steps of the third, up to the fourth.
   */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    RewritingLoader loader = new RewritingLoader(UnaryOperator.identity());
    long step = Long.parseLong(arguments[2]);
    long end = Long.parseLong(arguments[3]);
    List<AssertionError> errors = new ArrayList<>();
    for (long seed = Long.parseLong(arguments[1]); seed < end; seed += step) {
      errorOf(loader, arguments[0], seed).ifPresent(errors::add);
    }
    if (!errors.isEmpty()) {
      throw new AssertionError(errors.size() + " seeds fail; the first is", errors.get(0));
    }
  }
}
