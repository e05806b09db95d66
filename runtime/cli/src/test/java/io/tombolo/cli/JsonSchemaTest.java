package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Every member of our JSON stands in the documents, where programs that read it look it up. */
public class JsonSchemaTest {
  private static final Path DOCUMENTS = Path.of("..", "..", "docs");
  private static final Pattern WORD = Pattern.compile("`(\\w+)( = [^`]*)?`");

  @DataProvider
  public Object[][] outputs() {
    return new Object[][] {
      {"doctor --json", "output.md", "## `./tombolo doctor`"},
      {"vendors --json", "output.md", "## `./tombolo vendors`"},
      {"topo --simulate 2x(2xNVIDIA,2x400G) --format json", "topology.md", "## JSON, version 1"},
      {"topo --format json", "topology.md", "## JSON, version 1"},
    };
  }

  @Test(dataProvider = "outputs")
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
