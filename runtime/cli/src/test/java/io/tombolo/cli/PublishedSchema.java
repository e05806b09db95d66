// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A schema of docs/schema, closed: users skip members that they do not know, but here a member that
 * the schema does not name is wrong, so that none goes undocumented.
 */
public final class PublishedSchema {
  private static final Path FOLDER = Path.of("..", "..", "docs", "schema");
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  private final Schema schema;

  private PublishedSchema(Schema schema) {
    this.schema = schema;
  }

  /** The schema {@code docs/schema/NAME.json}, which must itself be as its draft says. */
  public static PublishedSchema named(String name) throws IOException {
    String text = Files.readString(FOLDER.resolve(name + ".json"));
    JsonObject root = JsonParser.parseString(text).getAsJsonObject();
    String draft = root.get("$schema").getAsString();
    Schema metaSchema = REGISTRY.getSchema(SchemaLocation.of(draft));
    assertEquals(metaSchema.validate(text, InputFormat.JSON), List.of(), name);
    close(root);
    return new PublishedSchema(REGISTRY.getSchema(root.toString(), InputFormat.JSON));
  }

  private static void close(JsonElement element) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(PublishedSchema::close);
    } else if (element.isJsonObject()) {
      JsonObject object = element.getAsJsonObject();
      object.asMap().values().forEach(PublishedSchema::close);
      if (object.has("properties") && object.get("properties").isJsonObject()) {
        object.addProperty("additionalProperties", false);
      }
    }
  }

  /** The names of all schemas. */
  static Set<String> names() throws IOException {
    try (var files = Files.list(FOLDER)) {
      Set<String> names = new TreeSet<>();
      files.forEach(file -> names.add(file.getFileName().toString().replace(".json", "")));
      return names;
    }
  }

  /** What is wrong with {@code document}, and where; empty if nothing. */
  List<String> faults(String document) {
    return schema.validate(document, InputFormat.JSON).stream().map(Error::toString).toList();
  }

  /** Fails, with the places, unless {@code document} is as the schema says. */
  public void check(String document) {
    assertEquals(faults(document), List.of(), document);
  }
}
