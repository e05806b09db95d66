// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import com.google.common.html.HtmlEscapers;
import com.google.common.xml.XmlEscapers;

/** Keeps names from files from being read as markup. */
final class Escape {
  private Escape() {}

  static String xml(String text) {
    return XmlEscapers.xmlAttributeEscaper().escape(text);
  }

  static String html(String text) {
    return HtmlEscapers.htmlEscaper().escape(text);
  }

  /** For a text in double quotes of DOT. */
  static String dot(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
  }

  /** For a text in double quotes of Mermaid, which knows HTML's entities. */
  static String mermaid(String text) {
    return html(text.replace("#", "").replace("\n", " "));
  }
}
