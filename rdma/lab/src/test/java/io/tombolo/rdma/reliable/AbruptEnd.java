// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import java.util.SplittableRandom;

/**
 * A conversation that one side leaves in the middle, with or without a word. What is under way to
 * it then touches no memory of its receives, which its owner uses for something else at once; and
 * all its slots come back.
 */
final class AbruptEnd implements AutoCloseable {
  private static final long MAX_BEFORE_NS = 3_000_000;
  private static final long AFTER_NS = 20_000_000;

  private final Script script;
  private final SimulatedNetwork network;
  private final SimulatedSlab[] slabs = new SimulatedSlab[2];
  private final SimulatedEndpoint[] endpoints = new SimulatedEndpoint[2];
  private final ReliableChannel[] channels = new ReliableChannel[2];
  private final Person[] people = new Person[2];

  private AbruptEnd(Script script, ProtocolParts parts) {
    this.script = script;
    network = new SimulatedNetwork(script.seed(), script.plan(), 2);
    ProtocolConfig config = script.config();
    for (int side = 0; side < 2; side++) {
      SimulatedNic nic = script.nics().get(side);
      slabs[side] =
          new SimulatedSlab(
              network,
              script.slabSlots(),
              config.segmentBytes(),
              SimulatedSlab.TAG_BITS,
              SimulatedSlab.PACKET_LIFE_NS,
              nic.bindNs());
      endpoints[side] = new SimulatedEndpoint(network, side, slabs[side], 2048, nic);
      people[side] =
          new Person(
              script.sizes().get(side).toArray(), script.sizes().get(1 - side).toArray(), side);
      channels[side] =
          new ReliableChannel(
              new ChannelId(1 - side, 7, 42),
              config,
              endpoints[side],
              slabs[side].pool(),
              parts,
              network.clockNs(side));
    }
    for (int side = 0; side < 2; side++) {
      endpoints[side].run(channels[side], endpoints[1 - side], people[side]);
    }
  }

  /** Plays {@code script} with channels made of {@code parts}; what went wrong first, or null. */
  static String play(Script script, ProtocolParts parts) {
    try (AbruptEnd conversation = new AbruptEnd(script, parts)) {
      return conversation.play();
    }
  }

  private String play() {
    SplittableRandom random = new SplittableRandom(script.seed());
    int leaver = random.nextInt(2);
    run(random.nextLong(MAX_BEFORE_NS), 2);
    if (random.nextBoolean()) {
      channels[leaver].abort();
    } else {
      channels[leaver].leave();
    }
    people[leaver].leave();
    run(network.nowNs() + AFTER_NS, 1 - leaver);
    people[leaver].lookAgainAtReceives();
    int held = slabs[leaver].pool().slotsInUse();
    return people[leaver].complaint() != null || held == 0
        ? people[leaver].complaint()
        : held + " slots never came back";
  }

  /** Both talk until then, or {@code alone} does. */
  private void run(long untilNs, int alone) {
    while (network.nowNs() < untilNs && network.step()) {
      for (int side = 0; side < 2; side++) {
        boolean talks = alone == side || alone == 2;
        if (talks && endpoints[side].failure() == null && people[side].converse(channels[side])) {
          endpoints[side].wake();
        }
      }
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
