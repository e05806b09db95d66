// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads XML that strangers wrote: no entities of any kind, nothing fetched, and limits on size. A
 * document type may be named (hwloc does) but is not looked at.
 */
final class SafeXml {
  /** Below the 100 that newer JDKs allow, so that all of them complain alike. */
  private static final int MAX_DEPTH = 64;

  private static final int MAX_ELEMENTS = 100_000;

  private final String source;
  private final XMLStreamReader reader;
  private final Deque<XmlElement> open = new ArrayDeque<>();
  private XmlElement root;
  private int elements;

  private SafeXml(String source, XMLStreamReader reader) {
    this.source = source;
    this.reader = reader;
  }

  /** The root element of {@code text}, which {@code source} names in errors. */
  static XmlElement parse(String text, String source) {
    if (text.contains("<!ENTITY")) {
      throw new UsageException(source + " declares XML entities, which are refused");
    }
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
    try {
      return new SafeXml(source, factory.createXMLStreamReader(new StringReader(text))).read();
    } catch (XMLStreamException e) {
      throw new UsageException(source + " is not XML: " + oneLine(e.getMessage()), e);
    }
  }

  private static String oneLine(String message) {
    return message.replaceAll("\\s+", " ");
  }

  private XmlElement read() throws XMLStreamException {
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        start();
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        open.pop();
      } else if (event == XMLStreamConstants.CHARACTERS && !open.isEmpty()) {
        open.element().text().append(reader.getText());
      } else if (event == XMLStreamConstants.ENTITY_REFERENCE) {
        throw new UsageException(place() + " refers to an XML entity, which is refused");
      }
    }
    return root;
  }

  private void start() {
    if (++elements > MAX_ELEMENTS || open.size() >= MAX_DEPTH) {
      throw new UsageException(
          place()
              + ": more than "
              + MAX_ELEMENTS
              + " elements or "
              + MAX_DEPTH
              + " levels; no topology is so big");
    }
    Map<String, String> attributes = new HashMap<>();
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
    }
    XmlElement element =
        XmlElement.of(reader.getLocalName(), place(), ImmutableMap.copyOf(attributes));
    if (open.isEmpty()) {
      root = element;
    } else {
      open.element().children().add(element);
    }
    open.push(element);
  }

  private String place() {
    return source + " line " + reader.getLocation().getLineNumber();
  }
}
