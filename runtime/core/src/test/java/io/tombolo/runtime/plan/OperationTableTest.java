// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** The table in docs/algorithms.md says what the rows say. */
public class OperationTableTest {
  private static final String HEAD =
      "| Operation | Steps | Bytes across | Needs inside |\n|---|---|---|---|\n";

  @Test
  public void shouldBeInTheDocumentation() throws IOException {
    String document =
        Files.readString(Path.of(System.getProperty("tombolo.root"), "docs", "algorithms.md"));
    int start = document.indexOf(HEAD) + HEAD.length();
    String table =
        document
            .substring(start)
            .lines()
            .takeWhile(line -> line.startsWith("|"))
            .sorted()
            .collect(Collectors.joining("\n"));
    assertEquals(table, wanted());
  }

  private static String wanted() {
    Set<Collective> uneven =
        Arrays.stream(Collective.values())
            .filter(Collective::isUneven)
            .map(Collective::even)
            .collect(Collectors.toSet());
    return Arrays.stream(Collective.values())
        .filter(each -> !each.isUneven())
        .map(each -> line(each, uneven.contains(each)))
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  private static String line(Collective collective, boolean withUneven) {
    OperationRow row = collective.row();
    return "| %s%s | %s | %s | %s |"
        .formatted(
            collective.text(),
            withUneven ? "(_v)" : "",
            row.steps(),
            row.bytesAcross(),
            needs(row.inside()));
  }

  private static String needs(ImmutableSet<Primitive> inside) {
    String names = inside.stream().map(Primitive::text).collect(Collectors.joining(", "));
    return inside.isEmpty()
        ? "nothing"
        : names + (inside.contains(Primitive.SEND) ? ", in groups and free in order" : "");
  }
}
