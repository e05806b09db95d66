// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs the members of a communicator, each a {@link CclProgram} in a process of its own. */
final class CclMembers {
  private CclMembers() {}

  /**
   * What {@code size} members of {@code library} made of {@code roles}, which are played one after
   * the other, separated by commas.
   */
  static List<ChildProcess> run(
      CclUnderTest library, String roles, int size, Map<String, String> environment) {
    try {
      Path folder = Files.createTempDirectory("ccl");
      try {
        List<CompletableFuture<ChildProcess>> members =
            IntStream.range(0, size)
                .mapToObj(rank -> start(library, roles, rank, size, folder, environment))
                .toList();
        return members.stream().map(CompletableFuture::join).toList();
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new AssertionError("no place for the unique ids", e);
    }
  }

  private static CompletableFuture<ChildProcess> start(
      CclUnderTest library,
      String roles,
      int rank,
      int size,
      Path folder,
      Map<String, String> environment) {
    CompletableFuture<ChildProcess> result = new CompletableFuture<>();
    Map<String, String> ofMember = new HashMap<>(environment);
    ofMember.putAll(library.environment(rank));
    Thread waiter =
        new Thread(
            () -> {
              try {
                result.complete(
                    ChildProcess.run(
                        CclProgram.class,
                        ofMember,
                        library.name(),
                        roles,
                        Integer.toString(rank),
                        Integer.toString(size),
                        folder.toString()));
              } catch (Throwable e) { // an assertion of this thread belongs to the test's
                result.completeExceptionally(e);
              }
            });
    waiter.setDaemon(true);
    waiter.start();
    return result;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
