// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.Fabrics;
import io.tombolo.topology.launch.LaunchEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.annotations.Test;

/**
 * That C programs decide about an environment as Java would: {@code compilers.c} reads launchers'
 * variables itself, and its test's table is held against {@link LaunchEnvironment}. Java's own
 * launcher does not ask them: it knows the hosts.
 */
public class CompilersTest {
  private static final Path TABLE =
      Path.of(
          System.getProperty("tombolo.root"),
          "runtime/capi/src/test/c/compilers_test/environments.inc");

  /** {@code {"first", "RANK=0 WORLD_SIZE=2"},}. */
  private static final Pattern ROW = Pattern.compile("\\{\"(first|all)\", \"([^\"]*)\"},");

  private static final String FABRICS = "TOMBOLO_FABRICS";

  @Test
  public void shouldDecideAsTheCInterfaceDoes() throws IOException {
    List<Row> rows = rows();
    assertFalse(rows.isEmpty());
    for (Row row : rows) {
      assertEquals(
          Compilers.flags(spansHosts(row.variables), row.fabrics()),
          row.isFirstEnough
              ? ImmutableList.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1")
              : ImmutableList.<String>of(),
          row.toString());
    }
  }

  /** C cannot ask a fabric: one that is new here has to be told there. */
  @Test
  public void shouldHaveARowForEachFabric() throws IOException {
    ImmutableSet<String> said =
        rows().stream()
            .filter(row -> row.variables.keySet().equals(ImmutableSet.of(FABRICS)))
            .map(row -> row.fabrics() + " " + (row.isFirstEnough ? "first" : "all"))
            .collect(toImmutableSet());
    for (FabricProvider fabric : Fabrics.all()) {
      String row = fabric.name() + " " + (fabric.makesPackets() ? "all" : "first");
      assertEquals(said.contains(row), true, row + " is not among " + said);
    }
  }

  private static boolean spansHosts(Map<String, String> variables) {
    LaunchEnvironment launch = LaunchEnvironment.of(variables);
    return launch.worldSize().isPresent()
        && launch.localSize().isPresent()
        && !launch.isOnOneHost();
  }

  private static List<Row> rows() throws IOException {
    ImmutableList.Builder<Row> rows = ImmutableList.builder();
    for (String line : Files.readAllLines(TABLE)) {
      Matcher row = ROW.matcher(line.strip());
      if (row.matches()) {
        rows.add(
            new Row(
                row.group(1).equals("first"),
                ImmutableMap.copyOf(
                    Splitter.on(' ')
                        .omitEmptyStrings()
                        .withKeyValueSeparator('=')
                        .split(row.group(2)))));
      } else {
        assertFalse(line.contains("{"), line + " is not a row that this test reads");
      }
    }
    return rows.build();
  }

  private record Row(boolean isFirstEnough, ImmutableMap<String, String> variables) {
    String fabrics() {
      return variables.getOrDefault(FABRICS, "");
    }
  }
}
