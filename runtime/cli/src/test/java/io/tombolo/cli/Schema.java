package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.fail;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The part of JSON Schema that our schemas are written in: type, properties, required, items, enum,
 * minimum and pattern; another word is an error. Stricter than the standard in one thing: a member
 * that the schema does not name is wrong, so that none goes undocumented.
 */
public final class Schema {
  private static final Path FOLDER = Path.of("..", "..", "docs", "schema");
  private static final Set<String> WORDS =
      Set.of(
          "$schema",
          "title",
          "description",
          "type",
          "properties",
          "required",
          "items",
          "enum",
          "minimum",
          "pattern");

  private final JsonObject root;

  private Schema(JsonObject root) {
    this.root = root;
  }

  /** The schema {@code docs/schema/NAME.json}. */
  public static Schema named(String name) throws IOException {
    String text = Files.readString(FOLDER.resolve(name + ".json"));
    return new Schema(JsonParser.parseString(text).getAsJsonObject());
  }

  /** The names of all schemas. */
  public static Set<String> names() throws IOException {
    try (var files = Files.list(FOLDER)) {
      Set<String> names = new TreeSet<>();
      files.forEach(file -> names.add(file.getFileName().toString().replace(".json", "")));
      return names;
    }
  }

  /** Fails, with the place, unless {@code document} is as the schema says. */
  public void check(String document) {
    check(root, JsonParser.parseString(document), "$");
  }

  private void check(JsonObject schema, JsonElement value, String place) {
    assertEquals(
        WORDS.containsAll(schema.keySet()), true, place + " in the schema: " + schema.keySet());
    String type = schema.get("type").getAsString();
    if (!isOf(type, value)) {
      fail(place + " is no " + type + ": " + value);
    }
    switch (type) {
      case "object" -> members(schema, value.getAsJsonObject(), place);
      case "array" -> {
        int index = 0;
        for (JsonElement each : value.getAsJsonArray()) {
          check(schema.getAsJsonObject("items"), each, place + "[" + index++ + "]");
        }
      }
      default -> scalar(schema, value, place);
    }
  }

  private static boolean isOf(String type, JsonElement value) {
    return switch (type) {
      case "object" -> value.isJsonObject();
      case "array" -> value.isJsonArray();
      case "string" -> value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
      case "boolean" -> value.isJsonPrimitive() && value.getAsJsonPrimitive().isBoolean();
      case "number" -> value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
      case "integer" ->
          value.isJsonPrimitive()
              && value.getAsJsonPrimitive().isNumber()
              && value.getAsString().matches("-?\\d+");
      default -> throw new IllegalArgumentException("type " + type);
    };
  }

  private void members(JsonObject schema, JsonObject value, String place) {
    JsonObject properties = schema.getAsJsonObject("properties");
    for (JsonElement required : schema.getAsJsonArray("required")) {
      if (!value.has(required.getAsString())) {
        fail(place + " has no " + required.getAsString());
      }
    }
    for (Map.Entry<String, JsonElement> member : value.entrySet()) {
      if (!properties.has(member.getKey())) {
        fail(place + "." + member.getKey() + " is in no schema");
      }
      check(
          properties.getAsJsonObject(member.getKey()),
          member.getValue(),
          place + "." + member.getKey());
    }
  }

  private static void scalar(JsonObject schema, JsonElement value, String place) {
    if (schema.has("enum") && !schema.getAsJsonArray("enum").contains(value)) {
      fail(place + " is none of " + schema.get("enum") + ": " + value);
    }
    if (schema.has("minimum")
        && value.getAsBigDecimal().compareTo(new BigDecimal(schema.get("minimum").getAsString()))
            < 0) {
      fail(place + " is less than " + schema.get("minimum") + ": " + value);
    }
    if (schema.has("pattern")
        && !value.getAsString().matches(schema.get("pattern").getAsString())) {
      fail(place + " is not like " + schema.get("pattern") + ": " + value);
    }
  }
}
