// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Set;

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

  /** What it sends these, or they send it, does not arrive. */
  private final Set<SimProcess> unreached = new HashSet<>();

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

  /** Between this process and {@code other} nothing arrives any more. */
  void cutFrom(SimProcess other) {
    unreached.add(other);
    other.unreached.add(this);
  }

  /** Whether what this process sends {@code other} arrives there. */
  boolean reaches(SimProcess other) {
    return isReached() && other.isReached() && !unreached.contains(other);
  }

  /** Its host answers for one that is stopped, or not there any more. */
  boolean isReached() {
    return state != State.CUT;
  }
}
