// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.fabric;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import io.tombolo.rdma.Fabrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testng.annotations.Test;

/** The documents name the fabrics that there are, the preferred first. */
public final class FabricTableTest {
  private static final Path ROOT = Path.of("..", "..");

  /** All but the fictional one. */
  private static ImmutableList<String> names() {
    return Fabrics.names().stream()
        .filter(name -> !name.equals(CarrierPigeons.NAME))
        .collect(toImmutableList());
  }

  private static List<String> lines(String file) throws IOException {
    return Files.readAllLines(ROOT.resolve(file), UTF_8);
  }

  @Test(timeOut = 120_000)
  public void shouldBeTheRowsOfTheReadme() throws IOException {
    List<String> section =
        lines("README.md").stream()
            .dropWhile(line -> !line.equals("### Fabrics"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("#"))
            .filter(line -> line.startsWith("| `"))
            .map(line -> Splitter.on('`').splitToList(line).get(1))
            .toList();
    assertEquals(section, names());
  }

  @Test(timeOut = 120_000)
  public void shouldBeWhatTheDoctorLists() {
    List<String> listed =
        JsonParser.parseString(Ran.of("doctor --json").out()).getAsJsonArray().asList().stream()
            .map(JsonElement::getAsJsonObject)
            .filter(each -> each.get("topic").getAsString().equals("fabric"))
            .map(each -> each.get("name").getAsString())
            .filter(name -> !name.equals(CarrierPigeons.NAME))
            .toList();
    assertEquals(listed, names());
  }

  @Test(timeOut = 120_000)
  public void shouldBeInTheGlossary() throws IOException {
    String expected = "`" + String.join("`, `", names()) + "`";
    assertTrue(
        lines("docs/glossary.md").stream()
            .anyMatch(line -> line.startsWith("| **fabric** |") && line.contains(expected)),
        "the glossary's fabrics are not " + expected);
  }
}
