// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import io.tombolo.tensors.layout.Nearness;
import java.util.List;

/**
 * How many elements travel how far, and in how many transfers.
 *
 * @param process elements that stay in their process
 * @param host those that stay on their host
 * @param vendor those that go to another host of their vendor
 * @param other those that go to another vendor's
 * @param transfers among ranks of different processes
 */
public record Journeys(long process, long host, long vendor, long other, long transfers) {
  /** All elements. */
  public long total() {
    return process + moved();
  }

  /** Those that leave a process. */
  public long moved() {
    return host + vendor + other;
  }

  /** All journeys of {@code parts} together. */
  static Journeys sum(List<Journeys> parts) {
    Count count = new Count();
    for (Journeys part : parts) {
      count.process += part.process;
      count.host += part.host;
      count.vendor += part.vendor;
      count.other += part.other;
      count.transfers += part.transfers;
    }
    return count.toJourneys();
  }

  /** A sum in the making. */
  static final class Count {
    private long process;
    private long host;
    private long vendor;
    private long other;
    private long transfers;

    void add(Nearness nearness, long elements) {
      switch (nearness) {
        case PROCESS -> process += elements;
        case HOST -> host += elements;
        case VENDOR -> vendor += elements;
        case OTHER -> other += elements;
      }
      transfers += nearness == Nearness.PROCESS ? 0 : 1;
    }

    Journeys toJourneys() {
      return new Journeys(process, host, vendor, other, transfers);
    }
  }
}
