// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Runs seeds of a scene, and prints each. */
final class SomeSeeds {
  private static final String PLACE = "io.tombolo.runtime.";

  private SomeSeeds() {}

  /** The scene called {@code name}, of the classes of {@code loader}. */
  static Simulation.Scene scene(RewritingLoader loader, String name)
      throws ReflectiveOperationException {
    return (Simulation.Scene) loader.loadClass(PLACE + name).getConstructor().newInstance();
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
   * Runs the seeds of the scene that the first argument names, from the second on, in steps of the
   * third, up to the fourth.
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
