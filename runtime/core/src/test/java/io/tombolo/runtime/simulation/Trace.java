// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What has happened in a simulation, as sums that two runs can compare, and the last of it. */
public final class Trace {
  private static final int PART = 256;
  private static final int LAST = 60;

  /** One step. */
  private record Step(long number, long nowNs, SimThread thread, String what) {
    @Override
    public String toString() {
      return "%s %s ns %s %s".formatted(number, nowNs, thread, what);
    }
  }

  private final List<Long> sums = new ArrayList<>();
  private final ArrayDeque<Step> last = new ArrayDeque<>();
  private long steps;
  private long sum;

  void add(long nowNs, SimThread thread, String what) {
    sum = (sum ^ (nowNs * 31 + thread.number) ^ what.hashCode()) * 0x9E3779B97F4A7C15L;
    sum ^= sum >>> 29;
    if (++steps % PART == 0) {
      sums.add(sum);
    }
    last.addLast(new Step(steps, nowNs, thread, what));
    if (last.size() > LAST) {
      last.removeFirst();
    }
  }

  long steps() {
    return steps;
  }

  /** The sum after every {@value #PART} steps, and the one at the end. */
  public List<Long> sums() {
    List<Long> all = new ArrayList<>(sums);
    all.add(sum);
    return all;
  }

  /** The first step before which this and {@code other} are the same. */
  public long sameUntil(Trace other) {
    int part = 0;
    while (part < Math.min(sums.size(), other.sums.size())
        && sums.get(part).equals(other.sums.get(part))) {
      part++;
    }
    return (long) part * PART;
  }

  List<String> last() {
    return last.stream().map(Step::toString).toList();
  }
}
