// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** A process on a host of its own. */
public final class SimProcess {
  /** What keeps a process from running, or its packets from arriving. */
  enum State {
    RUNS,
    STOPPED,
    CUT,
    KILLED
  }

  private final int number;
  private final String name;
  State state = State.RUNS;

  /** Its packets take so many times longer. */
  int slowness = 1;

  SimProcess(int number, String name) {
    this.number = number;
    this.name = name;
  }

  String name() {
    return name;
  }

  long pid() {
    return 1000L + number;
  }

  String hostId() {
    return "%016x".formatted(0xabc000 + number);
  }

  InetAddress address() {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) (number + 1)});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  boolean runs() {
    return state == State.RUNS || state == State.CUT;
  }

  /** Its host answers for one that is stopped, or not there any more. */
  boolean isReached() {
    return state != State.CUT;
  }
}
