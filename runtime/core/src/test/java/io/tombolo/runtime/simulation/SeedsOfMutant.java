// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.List;

/** Runs seeds of a scene with a fault in the code, until one finds it. */
final class SeedsOfMutant {
  private static final long SEEDS = 200;
  private static final int SCENE = 0;

  private SeedsOfMutant() {}

  /** The first argument names the scene, the others are the words of the {@link Mutant}. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    List<String> words = List.of(arguments);
    Mutant mutant = Mutant.of(words.subList(SCENE + 1, words.size()));
    RewritingLoader broken = new RewritingLoader(mutant);
    System.out.println(mutant + ":");
    for (long seed = 0; seed < SEEDS; seed++) {
      if (SomeSeeds.errorOf(broken, words.get(SCENE), seed).isPresent()) {
        return;
      }
    }
    throw new AssertionError(mutant + ", and no seed finds it");
  }
}
