// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What the commands print as JSON is as the schemas in docs/schema say, and every member stands in
 * the documents, where people look it up.
 */
public class JsonSchemaTest {
  private static final Path DOCUMENTS = Path.of("..", "..", "docs");
  private static final Pattern WORD = Pattern.compile("`(\\w+)( = [^`]*)?`");

  @DataProvider
  public Object[][] outputs() {
    return new Object[][] {
      {"doctor --json", "output.md", "## `./tombolo doctor`"},
      {"vendors --json", "output.md", "## `./tombolo vendors`"},
      {"config --json", "output.md", "## `./tombolo config`"},
      {"topo --simulate 2x(2xNVIDIA,2x400G) --format json", "topology.md", "## JSON, version 1"},
      {"topo --format json", "topology.md", "## JSON, version 1"},
      {
        "plan all_reduce 4K --clusters a:2,b:2 --rank 0 --json",
        "output.md",
        "## `./tombolo plan OP SIZE`"
      },
      {
        "plan reshard 8x8/S0:2 /S1:2 --rank 0 --json",
        "output.md",
        "## `./tombolo plan reshard FROM TO`"
      },
    };
  }

  @DataProvider
  public Object[][] documents() {
    return new Object[][] {
      {"doctor --json", "doctor"},
      {"vendors --json", "vendors"},
      {"env --vendor emu-nvidia --json", "env"},
      {"config --json", "config"},
      {"plan all_reduce 1M --clusters a:2,b:3 --json", "plan"},
      {"plan broadcast 4K --clusters a:1,b:2 --root 2 --rank 0 --json", "plan"},
      {"plan reshard 8x8/S0:2 /S1:2 --rank 0 --json", "reshard"},
      {"plan reshard 8x8/S0:2@a /R:3@b --type bf16 --json", "reshard"},
      {"topo --format json", "topology"},
      {"topo --emulated --format json", "topology"},
      {"topo --simulate 2x(2xNVIDIA,2x400G);1x(2xGaudi/Gaudi2) --format json", "topology"},
    };
  }

  @Test(dataProvider = "documents", timeOut = 120_000)
  public void shouldPrintWhatTheSchemaSays(String command, String schema) throws IOException {
    Ran ran = Ran.of(command);
    assertEquals(ran.code(), 0, ran.err());
    PublishedSchema.named(schema).check(ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldPrintBenchmarkRowsAsTheSchemaSays() throws IOException {
    Ran ran =
        Ran.of("bench all_reduce --order emu-nvidia -b 8 -e 64 -f 8 -n 2 -w 0 --json --breakdown");
    assertEquals(ran.code(), 0, ran.err());
    assertEquals(ran.out().lines().count(), 4, ran.out());
    PublishedSchema schema = PublishedSchema.named("bench");
    ran.out().lines().forEach(schema::check);
  }

  @DataProvider
  public Object[][] wrongDocuments() {
    return new Object[][] {
      {"env", "{}", "array expected"},
      {"env", "[{'name': 'A', 'value': 'b'}]", "'origin' not found"},
      {"env", "[{'name': 'A', 'value': 7, 'origin': ''}]", "/0/value: integer found"},
      {"env", "[{'name': 'A', 'value': 'b', 'origin': '', 'more': 1}]", "'more'"},
      {"calibration", "{'format': 'another'}", "/format: does not have a value"},
    };
  }

  /** A check that finds nothing would be no check. */
  @Test(dataProvider = "wrongDocuments", timeOut = 120_000)
  public void shouldNoticeWhatIsAgainstTheSchema(String schema, String document, String fault)
      throws IOException {
    List<String> faults = PublishedSchema.named(schema).faults(document.replace('\'', '"'));
    assertTrue(faults.stream().anyMatch(each -> each.contains(fault)), faults.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldNameEverySchemaInTheDocuments() throws IOException {
    String output = Files.readString(DOCUMENTS.resolve("output.md"));
    for (String name : PublishedSchema.names()) {
      assertTrue(output.contains("schema/" + name + ".json"), name);
    }
  }

  @Test(dataProvider = "outputs", timeOut = 120_000)
  public void shouldDocumentEveryMember(String command, String document, String section)
      throws IOException {
    Ran ran = Ran.of(command);
    assertEquals(ran.code(), 0, ran.err());
    Set<String> members = new TreeSet<>();
    collect(JsonParser.parseString(ran.out()), members);
    assertFalse(members.isEmpty(), ran.out());
    members.removeAll(documented(document, section));
    assertEquals(members, Set.of(), "members that " + document + " does not name");
  }

  private static void collect(JsonElement element, Set<String> members) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> collect(each, members));
    } else if (element.isJsonObject()) {
      element
          .getAsJsonObject()
          .entrySet()
          .forEach(
              entry -> {
                members.add(entry.getKey());
                collect(entry.getValue(), members);
              });
    }
  }

  /** The words in code type below {@code section}, braces and all. */
  private static Set<String> documented(String document, String section) throws IOException {
    String text = Files.readString(DOCUMENTS.resolve(document));
    int begin = text.indexOf(section + "\n");
    assertFalse(begin < 0, document + " has no section " + section);
    int end = text.indexOf("\n## ", begin + 1);
    String below = text.substring(begin, end < 0 ? text.length() : end);
    Set<String> words = new TreeSet<>();
    WORD.matcher(below).results().forEach(word -> words.add(word.group(1)));
    Pattern.compile("\\{([^}]*)\\}")
        .matcher(below)
        .results()
        .forEach(
            list ->
                Pattern.compile("\\w+")
                    .matcher(list.group(1))
                    .results()
                    .forEach(word -> words.add(word.group())));
    return words;
  }
}
