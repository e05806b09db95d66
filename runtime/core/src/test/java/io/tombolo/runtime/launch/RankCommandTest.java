// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;

import java.util.List;
import org.testng.annotations.Test;

public class RankCommandTest {

  /** Java knows no ALL-MODULE-PATH here: that is a word of --add-modules. */
  @Test
  public void shouldNameOurModulesAsThoseThatMayCallNatives() {
    assertEquals(
        RankCommand.nativeAccess(
            List.of("java.base", "io.tombolo.runtime", "com.acme.app", "io.tombolo.adaptors")),
        "io.tombolo.adaptors,io.tombolo.runtime");
    assertEquals(RankCommand.nativeAccess(List.of()), "ALL-UNNAMED");
  }
}
