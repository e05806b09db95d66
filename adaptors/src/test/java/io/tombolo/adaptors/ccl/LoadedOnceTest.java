// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The rows of this project's own libraries. */
public final class LoadedOnceTest {

  @DataProvider
  public static Object[][] rows() {
    Supplier<CclDialect> host = HostCcl::row;
    Supplier<CclDialect> mpi = MpiCcl::row;
    return new Object[][] {{"tombolo_host_ccl", host}, {"tombolo_mpi", mpi}};
  }

  @Test(dataProvider = "rows")
  public void shouldHaveOneCopyHoweverOftenTheRowIsAskedFor(String name, Supplier<CclDialect> row)
      throws IOException {
    CclDialect first = row.get();
    assertSame(row.get(), first);
    assertEquals(copiesOf(name), 1);
  }

  /** Files of that name that this process has mapped, which are deleted: proc(5), maps. */
  private static long copiesOf(String name) throws IOException {
    try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      return mappings
          .filter(mapping -> mapping.contains("/tombolo-" + name + "-"))
          .map(mapping -> mapping.substring(mapping.indexOf('/')))
          .distinct()
          .count();
    }
  }
}
