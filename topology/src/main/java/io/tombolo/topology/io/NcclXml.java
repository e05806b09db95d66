// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.topology.Host;
import io.tombolo.topology.Seat;
import io.tombolo.topology.Topology;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The topology XML of NCCL and RCCL ({@code NCCL_TOPO_DUMP_FILE}), and FlagCX's dialect of it:
 * {@code system > cpu > pci > … > gpu | apu | nic > net}. CPUs with different {@code host_hash} are
 * on different hosts; ranks sit where {@code rank} says, if every accelerator has one.
 *
 * <p>Source: src/graph/xml.cc and src/graph/topo.cc of NCCL 2.
 */
final class NcclXml {
  private final XmlElement system;
  private final Map<String, NcclHost> hosts = new LinkedHashMap<>();

  private NcclXml(XmlElement system) {
    this.system = system;
  }

  static Topology read(XmlElement system) {
    return new NcclXml(system).topology();
  }

  private Topology topology() {
    system
        .children("cpu")
        .forEach(
            cpu ->
                hosts
                    .computeIfAbsent(cpu.get("host_hash", "0x0"), hash -> new NcclHost())
                    .addCpu(cpu));
    if (hosts.isEmpty()) {
      throw system.wrong("has no <cpu>: this is not a topology that NCCL wrote");
    }
    List<Host> built = new ArrayList<>();
    Map<Integer, Seat> seatOfRank = new TreeMap<>();
    int withoutRank = 0;
    for (Map.Entry<String, NcclHost> entry : hosts.entrySet()) {
      String name = hosts.size() == 1 ? "host" : entry.getKey();
      List<Optional<Integer>> ranks = entry.getValue().ranks();
      for (int accelerator = 0; accelerator < ranks.size(); accelerator++) {
        Seat seat = new Seat(built.size(), accelerator);
        withoutRank += ranks.get(accelerator).isEmpty() ? 1 : 0;
        ranks.get(accelerator).ifPresent(rank -> sit(seatOfRank, rank, seat));
      }
      built.add(new Host(entry.getKey(), name, entry.getValue().machine()));
    }
    return seatOfRank.isEmpty()
        ? Topology.of(built)
        : Topology.of(built, inOrder(seatOfRank, withoutRank));
  }

  private void sit(Map<Integer, Seat> seatOfRank, int rank, Seat seat) {
    if (seatOfRank.put(rank, seat) != null) {
      throw system.wrong("gives rank " + rank + " to two accelerators");
    }
  }

  /** Ranks 0 … n-1 must all be there; accelerators without a rank are not part of the job. */
  private List<Seat> inOrder(Map<Integer, Seat> seatOfRank, int withoutRank) {
    List<Seat> seats = new ArrayList<>();
    for (Map.Entry<Integer, Seat> entry : seatOfRank.entrySet()) {
      if (entry.getKey() != seats.size()) {
        throw system.wrong(
            "has no rank "
                + seats.size()
                + ", but has rank "
                + entry.getKey()
                + " ("
                + withoutRank
                + " accelerators have none)");
      }
      seats.add(entry.getValue());
    }
    return seats;
  }
}
