// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.config;

import static org.testng.Assert.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.testng.annotations.Test;
import picocli.CommandLine;

public final class ConfigCommandTest {
  @Test(timeOut = 60_000)
  public void shouldShowValuesAndWhereTheyAreFrom() {
    Ran ran = run(Map.of("TOMBOLO_FABRICS", "tcp"), "--json");
    assertEquals(ran.code(), 0, ran.err());
    JsonObject fabrics =
        JsonParser.parseString(ran.out()).getAsJsonArray().asList().stream()
            .map(JsonElement::getAsJsonObject)
            .filter(each -> each.get("name").getAsString().equals("TOMBOLO_FABRICS"))
            .findFirst()
            .orElseThrow();
    assertEquals(fabrics.get("value").getAsString(), "tcp");
    assertEquals(fabrics.get("origin").getAsString(), "TOMBOLO_FABRICS");
  }

  @Test(timeOut = 60_000)
  public void shouldAskWhetherAVariableThatIsNoSettingWasMeantAsOne() {
    Ran ran = run(Map.of("TOMBOLO_FABRIC", "tcp", "PATH", "/bin"));
    assertEquals(ran.code(), 1, ran.out());
    assertEquals(
        ran.err().strip(),
        "TOMBOLO_FABRIC is no setting, and has no effect; did you mean TOMBOLO_FABRICS?");
  }

  private static Ran run(Map<String, String> environment, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(new ConfigCommand(environment))
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(words);
    return new Ran(code, out.toString(), err.toString());
  }
}
