// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/** What a row's names and numbers are compared with, by a test that sees red if one is wrong. */
public enum Witness {
  /** The vendor's own header, and a table entered from it apart from the row. */
  HEADER("table and the vendor's header"),
  /** The vendor's own header alone: the names are in C, and a C test includes both. */
  HEADER_ALONE("the vendor's header"),
  /** A table entered from a published source apart from the row: name, value, source, version. */
  TABLE("table"),
  /** Nothing: the row says what is known, and nobody has checked it. */
  NONE("unwitnessed"),
  /** Nothing is needed: the library is this project's own. */
  OWN("its own");

  private final String text;

  Witness(String text) {
    this.text = text;
  }

  /** In a word or two. */
  public String text() {
    return text;
  }
}
