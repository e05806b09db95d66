// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.util.Locale;

/** What a vendor's library may be declared to do, and be asked for inside a cluster. */
public enum Primitive {
  ALL_REDUCE(0),
  REDUCE(1),
  BROADCAST(2),
  ALL_GATHER(3),
  REDUCE_SCATTER(4),
  SEND(5),
  RECEIVE(6),
  ALL_TO_ALL(7),
  GATHER(8),
  SCATTER(9);

  private final int code;
  private final String text = name().toLowerCase(Locale.ROOT);

  Primitive(int code) {
    this.code = code;
  }

  /** The number that stands for it in a rank's descriptor. */
  public int code() {
    return code;
  }

  /** Whether elements are combined, so that a call has an operator. */
  public boolean isReducing() {
    return switch (this) {
      case ALL_REDUCE, REDUCE, REDUCE_SCATTER -> true;
      case BROADCAST, ALL_GATHER, SEND, RECEIVE, ALL_TO_ALL, GATHER, SCATTER -> false;
    };
  }

  /** The lower-case name used in messages: {@code all_reduce}. */
  public String text() {
    return text;
  }
}
