// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An XML element, its own text, and where it stood, for complaints. */
record XmlElement(
    String name,
    String place,
    ImmutableMap<String, String> attributes,
    List<XmlElement> children,
    StringBuilder text) {

  static XmlElement of(String name, String place, ImmutableMap<String, String> attributes) {
    return new XmlElement(name, place, attributes, new ArrayList<>(), new StringBuilder());
  }

  Stream<XmlElement> children(String wanted) {
    return children.stream().filter(child -> child.name.equals(wanted));
  }

  /** An attribute; empty if it is not there. */
  Optional<String> find(String attribute) {
    return Optional.ofNullable(attributes.get(attribute));
  }

  String get(String attribute, String otherwise) {
    return attributes.getOrDefault(attribute, otherwise);
  }

  String get(String attribute) {
    return find(attribute).orElseThrow(() -> wrong("has no attribute '" + attribute + "'"));
  }

  /** A whole number, decimal or hexadecimal with {@code 0x}, between two bounds. */
  long whole(String attribute, long otherwise, long least, long most) {
    return find(attribute).map(text -> number(attribute, text, least, most)).orElse(otherwise);
  }

  private long number(String attribute, String text, long least, long most) {
    try {
      long number = Long.decode(text.strip());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, with the bounds.
    }
    throw wrong(attribute + "='" + text + "' is not a whole number from " + least + " to " + most);
  }

  UsageException wrong(String complaint) {
    return new UsageException(place + ": <" + name + "> " + complaint);
  }
}
