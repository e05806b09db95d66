package io.tombolo.base;

import java.util.Locale;

/** The operations a communicator offers, or that a vendor library may declare. */
public enum Collective {
  ALL_REDUCE(0),
  REDUCE(1),
  BROADCAST(2),
  ALL_GATHER(3),
  REDUCE_SCATTER(4),
  SEND(5),
  RECEIVE(6);

  private final int code;

  Collective(int code) {
    this.code = code;
  }

  /** The number that stands for this operation on our wire. */
  public int code() {
    return code;
  }

  /** The lower-case name used on command lines, in JSON and in messages: {@code all_reduce}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
