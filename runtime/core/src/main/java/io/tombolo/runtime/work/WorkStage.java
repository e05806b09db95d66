// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import java.util.Locale;

/**
 * What an operation spends its time on, in the order in which it first does. Stages overlap: the
 * vote is taken beside the steps, and steps go on side by side.
 */
public enum WorkStage {
  /** From the call until the agent, or a caller in its place, has taken it up. */
  CALL("from the call until it is taken up"),
  /** From there until the stream has reached the call. */
  STREAM("from there until the stream has reached the call"),
  /** From there until the first step may begin. */
  START("from there until the first step may begin"),
  /** From this rank's vote until all are known to have made the same call. */
  VOTE("from this rank's vote until all are known to agree; beside the steps"),
  /** The vendor's library works. */
  VENDOR("the vendor's library works"),
  /** Copies between device and stage. */
  COPY("copies between device and stage"),
  /** Messages to other ranks are under way. */
  SEND("messages are on their way out"),
  /** Messages of other ranks are waited for. */
  RECEIVE("messages are waited for"),
  /** Arithmetic, of the host or of its device. */
  HOST("arithmetic, of the host or of its device"),
  /** From the end of the last step until the stream is let go. */
  FINISH("from the last step until the stream is let go"),
  /** From the end until a thread that waited for it goes on. */
  WAKE("from there until a waiting thread goes on");

  private final String text = name().toLowerCase(Locale.ROOT);
  private final String meaning;

  WorkStage(String meaning) {
    this.meaning = meaning;
  }

  /** The lower-case name used in tables and JSON. */
  public String text() {
    return text;
  }

  /** What is measured, for people. */
  public String meaning() {
    return meaning;
  }
}
