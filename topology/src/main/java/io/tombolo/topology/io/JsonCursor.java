// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.primitives.Longs;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A place in a JSON document, which knows the way there for its complaints. */
final class JsonCursor {
  /** Enough for a hundred thousand ranks with a seat each. */
  private static final int MAX_VALUES = 1_000_000;

  private final String place;
  private final JsonElement element;

  JsonCursor(String place, JsonElement element) {
    this.place = place;
    this.element = element;
  }

  /** The document {@code text}, which {@code source} names in complaints. */
  static JsonCursor parse(String text, String source) {
    try {
      checkSize(text, source);
      return new JsonCursor(source, JsonParser.parseReader(reader(text)));
    } catch (JsonParseException | IOException | IllegalStateException e) {
      throw new UsageException(source + " is not JSON: " + firstLine(e.getMessage()), e);
    }
  }

  private static JsonReader reader(String text) {
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    reader.setNestingLimit(16);
    return reader;
  }

  /** A tree takes many times the memory of its text, so it is counted before it is built. */
  private static void checkSize(String text, String source) throws IOException {
    JsonReader reader = reader(text);
    for (int values = 0; reader.peek() != JsonToken.END_DOCUMENT; ) {
      switch (reader.peek()) {
        case BEGIN_ARRAY -> reader.beginArray();
        case END_ARRAY -> reader.endArray();
        case BEGIN_OBJECT -> reader.beginObject();
        case END_OBJECT -> reader.endObject();
        default -> reader.skipValue();
      }
      if (++values > MAX_VALUES) {
        throw new UsageException(source + " has more than " + MAX_VALUES + " values");
      }
    }
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse(message);
  }

  /** The member {@code name}, if it is there and not null. */
  Optional<JsonCursor> find(String name) {
    return Optional.ofNullable(object().get(name))
        .filter(member -> !member.isJsonNull())
        .map(member -> new JsonCursor(place + "." + name, member));
  }

  JsonCursor get(String name) {
    return find(name).orElseThrow(() -> wrong("has no '" + name + "'"));
  }

  List<JsonCursor> list(String name) {
    return find(name).map(JsonCursor::elements).orElse(List.of());
  }

  String string(String name) {
    return get(name).string();
  }

  String string(String name, String otherwise) {
    return find(name).map(JsonCursor::string).orElse(otherwise);
  }

  int integer(String name, int otherwise) {
    return find(name).map(each -> (int) each.whole(-1, Integer.MAX_VALUE)).orElse(otherwise);
  }

  long longInteger(String name, long otherwise) {
    return find(name).map(each -> each.whole(0, Long.MAX_VALUE)).orElse(otherwise);
  }

  boolean bool(String name, boolean otherwise) {
    return find(name).map(JsonCursor::bool).orElse(otherwise);
  }

  String string() {
    return primitive(JsonPrimitive::isString, "a text").getAsString();
  }

  /** A whole number in these bounds, both included. */
  long whole(long least, long most) {
    String text = primitive(JsonPrimitive::isNumber, "a number").getAsString();
    Long number = Longs.tryParse(text);
    if (number == null || number < least || number > most) {
      throw wrong("is not a whole number from " + least + " to " + most);
    }
    return number;
  }

  List<JsonCursor> elements() {
    if (!element.isJsonArray()) {
      throw wrong("is not a list");
    }
    List<JsonCursor> elements = new ArrayList<>();
    for (JsonElement each : element.getAsJsonArray()) {
      elements.add(new JsonCursor(place + "[" + elements.size() + "]", each));
    }
    return elements;
  }

  UsageException wrong(String complaint) {
    return new UsageException(place + " " + complaint);
  }

  private boolean bool() {
    return primitive(JsonPrimitive::isBoolean, "true or false").getAsBoolean();
  }

  private JsonObject object() {
    if (!element.isJsonObject()) {
      throw wrong("is not an object");
    }
    return element.getAsJsonObject();
  }

  private JsonPrimitive primitive(Predicate<JsonPrimitive> wanted, String what) {
    if (element.isJsonPrimitive() && wanted.test(element.getAsJsonPrimitive())) {
      return element.getAsJsonPrimitive();
    }
    throw wrong("is not " + what);
  }
}
