// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.util.Arrays;
import java.util.Set;

/** What the threads of resolvers do. */
public final class ResolverThreads {
  private static final Set<String> CALLS = Set.of("route0", "createAddress0");

  private ResolverThreads() {}

  /** Whether one is in a call in which the kernel looks for a peer's address. */
  public static boolean areInACall() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().equals(Resolver.THREAD))
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .anyMatch(frame -> CALLS.contains(frame.getMethodName()));
  }

  static boolean areAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(Resolver.THREAD));
  }
}
