// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;

/**
 * One seed, played to its end: first everything goes wrong (safety), then nothing does any more and
 * it must finish (liveness).
 */
final class SeededConversation implements AutoCloseable {
  /** The number of its connection. */
  static final int CONNECTION = 42;

  private static final long FAULTS_NS = 20_000_000;
  private static final long HEALED_NS = 5_000_000_000L;

  private final Script script;
  private final SimulatedNetwork network;
  private final SimulatedSlab[] slabs = new SimulatedSlab[2];
  private final SimulatedEndpoint[] endpoints = new SimulatedEndpoint[2];
  private final ReliableChannel[] channels = new ReliableChannel[2];
  private final Person[] people = new Person[2];
  private long doneNs;

  SeededConversation(Script script, Mutant mutant) {
    this.script = script;
    network = new SimulatedNetwork(script.seed(), script.plan(), 2);
    ProtocolConfig config = script.config();
    for (int side = 0; side < 2; side++) {
      SimulatedNic nic = script.nics().get(side);
      slabs[side] =
          new SimulatedSlab(
              network,
              mutant.slots(script.slabSlots()),
              config.segmentBytes(),
              mutant.tagBits(),
              mutant.packetLifeNs(),
              nic.bindNs());
      endpoints[side] = new SimulatedEndpoint(network, side, slabs[side], 2048, nic);
      people[side] =
          new Person(
              script.sizes().get(side).toArray(), script.sizes().get(1 - side).toArray(), side);
      channels[side] =
          new ReliableChannel(
              new ChannelId(1 - side, 7, CONNECTION),
              config,
              mutant.wire(endpoints[side]),
              mutant.pool(slabs[side], script.slabSlots(), config.segmentBytes()),
              mutant.parts(),
              network.clockNs(side));
    }
    for (int side = 0; side < 2; side++) {
      endpoints[side].run(channels[side], endpoints[1 - side], people[side]);
    }
  }

  /** The first thing that went wrong, or null. */
  String play() {
    try {
      run(FAULTS_NS);
      network.heal();
      run(network.nowNs() + HEALED_NS);
      return verdict();
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  private void run(long untilNs) {
    while (!isOver() && network.nowNs() < untilNs && converse() && network.step()) {}
  }

  private boolean converse() {
    for (int side = 0; side < 2; side++) {
      if (people[side].complaint() != null || endpoints[side].failure() != null) {
        return false;
      }
      if (slabs[side].pool().slotsInUse() > script.slabSlots()) {
        throw new IllegalStateException("more slab slots in use than allowed");
      }
      if (people[side].isDone()) {
        doneNs = doneNs == 0 && people[1 - side].isDone() ? network.nowNs() : doneNs;
        channels[side].close();
      } else if (people[side].converse(channels[side])) {
        endpoints[side].wake();
      }
    }
    return true;
  }

  private boolean isOver() {
    return channels[0].isClosed() && channels[1].isClosed();
  }

  private String verdict() {
    for (int side = 0; side < 2; side++) {
      if (people[side].complaint() != null) {
        return people[side].complaint();
      }
      if (endpoints[side].failure() != null) {
        return endpoints[side].failure().toString();
      }
    }
    for (int side = 0; side < 2; side++) {
      if (!people[side].isDone()) {
        return "not finished after healing: " + people[side];
      }
      if (slabs[side].pool().slotsInUse() != 0) {
        return "slab slots never came back: " + slabs[side].pool().slotsInUse();
      }
      people[side].lookAgain();
      if (people[side].complaint() != null) {
        return people[side].complaint();
      }
    }
    return isOver() ? null : "not closed";
  }

  long traceHash() {
    return network.traceHash();
  }

  ProtocolCounters counters(int side) {
    return channels[side].counters();
  }

  ReliableChannel channel(int side) {
    return channels[side];
  }

  int slotsInUse(int side) {
    return slabs[side].pool().slotsInUse();
  }

  /** When the last message was complete on both sides. */
  long doneNs() {
    return doneNs;
  }

  long nowNs() {
    return network.nowNs();
  }

  /** Plays {@code script} with {@code mutant} and cleans up. */
  static String play(Script script, Mutant mutant) {
    try (SeededConversation conversation = new SeededConversation(script, mutant)) {
      return conversation.play();
    }
  }

  @Override
  public void close() {
    for (int side = 0; side < 2; side++) {
      people[side].close();
      endpoints[side].close();
      slabs[side].close();
    }
  }
}
