// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static org.testng.Assert.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testng.annotations.Test;

public class NamedSegmentsTest {

  @Test
  public void shouldRemoveTheSegmentsOfThatProcessOnly() throws IOException {
    Path folder = Files.createTempDirectory("leftovers");
    for (String name :
        new String[] {"4711:0:0", "4711:0:1", "47:0:0", "471:4711:0", "4711", "other"}) {
      Files.createFile(folder.resolve(name));
    }
    assertEquals(NamedSegments.forget(4711, folder), 2);
    assertEquals(names(folder), Set.of("47:0:0", "471:4711:0", "4711", "other"));
    assertEquals(NamedSegments.forget(4711, folder), 0);
    try (Stream<Path> rest = Files.list(folder)) {
      for (Path file : rest.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private static Set<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }
}
