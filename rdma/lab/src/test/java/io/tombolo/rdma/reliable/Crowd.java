// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.lab.simulated.SimulatedNetwork;
import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A process that awaits messages of more peers than its slab has slots for, by seed. Some talk,
 * some never do, and some end in the middle of it, or in line. At first packets get lost, come
 * twice, late and in any order. Whoever talks must be served, and every slot come back.
 */
final class Crowd implements AutoCloseable {
  private static final int PEERS = 24;
  private static final int MAX_MESSAGES = 4;
  private static final int MAX_MESSAGE_BYTES = 20_000;
  private static final int PACKET_BYTES = 2048;
  private static final long FAULTS_NS = 20_000_000;
  private static final long HEALED_NS = 5_000_000_000L;
  private static final long GIVE_UP_NS = 500_000_000;

  private final long seed;
  private final SplittableRandom random;
  private final SimulatedNetwork network;
  private final int slots;
  private final SimulatedSlab slab;
  private final SimulatedSlab peersSlab;
  private final SlabPool pool;
  private final List<Conversation> all = new ArrayList<>();

  private Crowd(long seed, Mutant mutant) {
    this.seed = seed;
    random = new SplittableRandom(seed);
    slots = 1 << random.nextInt(4);
    ProtocolConfig config =
        ProtocolConfig.of(ProtocolConfig.Shape.PLACES_REMOTELY, 1024).toBuilder()
            .window(64, 8)
            .queueDepth(random.nextInt(1, 9))
            .times(200_000, 10_000_000, GIVE_UP_NS)
            .build();
    network = new SimulatedNetwork(seed, FaultPlan.wild(random), 2);
    slab = new SimulatedSlab(network, slots, config.segmentBytes());
    peersSlab = new SimulatedSlab(network, 1, config.segmentBytes());
    pool = mutant.pool(slab, slots, config.segmentBytes());
    for (int peer = 0; peer < PEERS; peer++) {
      all.add(new Conversation(peer, Role.of(random), config, mutant));
    }
  }

  /** Plays {@code seed} with {@code mutant}; what went wrong first, or null. */
  static String play(long seed, Mutant mutant) {
    try (Crowd crowd = new Crowd(seed, mutant)) {
      return crowd.play();
    }
  }

  private String play() {
    while (network.nowNs() < FAULTS_NS && step()) {}
    network.heal();
    long untilNs = network.nowNs() + HEALED_NS;
    while (network.nowNs() < untilNs && !isServed() && step()) {}
    for (Conversation one : all) {
      if (one.complaint() != null) {
        return this + ", " + one + ": " + one.complaint();
      }
    }
    pass(2 * GIVE_UP_NS); // whoever has died is given up
    int unasked = pool.slotsInUse();
    if (unasked > slots / 2) {
      return this + ": " + unasked + " are with peers that are silent";
    }
    all.forEach(one -> one.to.leave());
    pass(2 * SimulatedSlab.PACKET_LIFE_NS); // keys have rested
    int back = (int) IntStream.range(0, slots).filter(i -> isTaken(new SlabShare())).count();
    return back == slots ? null : this + ": only " + back + " have come back";
  }

  private void pass(long durationNs) {
    network.at(network.nowNs() + durationNs, () -> {}); // also if nothing else happens
    BulkFlow.run(network, durationNs);
  }

  private boolean isTaken(SlabShare share) {
    return pool.acquire(share, true, network.clockNs(0)) != SlabPool.NONE;
  }

  private boolean step() {
    all.forEach(Conversation::goOn);
    return network.step();
  }

  private boolean isServed() {
    return all.stream().allMatch(Conversation::isServed);
  }

  @Override
  public void close() {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(slab);
      stack.opened(peersSlab);
      all.forEach(stack::opened);
    }
  }

  @Override
  public String toString() {
    return "seed " + seed + ", " + slots + " slots";
  }

  private enum Role {
    TALKS,
    /** And is of a build that asks for nothing. */
    FORMER,
    SILENT,
    /** Its process, without a word. */
    DIES,
    /** With a word. */
    RESETS,
    /** By this process. */
    LEFT;

    static Role of(SplittableRandom random) {
      return random.nextBoolean() ? TALKS : values()[random.nextInt(values().length)];
    }

    boolean isServed() {
      return this == TALKS || this == FORMER;
    }
  }

  /** One peer, and this process's end towards it. */
  private final class Conversation implements AutoCloseable {
    private final Role role;
    private final Person here;
    private final Person there;
    private final SimulatedEndpoint toPeer = new SimulatedEndpoint(network, 0, slab, PACKET_BYTES);
    private final SimulatedEndpoint atPeer =
        new SimulatedEndpoint(network, 1, peersSlab, PACKET_BYTES);
    private final ReliableChannel to;
    private final ReliableChannel from;
    private boolean over;

    Conversation(int peer, Role role, ProtocolConfig config, Mutant mutant) {
      this.role = role;
      int[] sizes =
          random.ints(random.nextInt(1, MAX_MESSAGES + 1), 0, MAX_MESSAGE_BYTES).toArray();
      here = new Person(new int[0], sizes, 0);
      there = new Person(role == Role.SILENT ? new int[0] : sizes, new int[0], 1);
      PacketSender peersWire = mutant.wire(atPeer);
      to =
          new ReliableChannel(
              new ChannelId(1 + peer, 7, peer), config, toPeer, pool, network.clockNs(0));
      from =
          new ReliableChannel(
              new ChannelId(0, 7, peer),
              config,
              role == Role.FORMER ? new Unasking(peersWire) : peersWire,
              peersSlab.pool(),
              network.clockNs(1));
      if (role == Role.FORMER) {
        to.onPeerThatNeverAsks();
      }
      toPeer.run(to, atPeer, here);
      atPeer.run(from, toPeer, there);
      network.at(random.nextLong(FAULTS_NS), this::end);
    }

    private void end() {
      switch (role) {
        case TALKS, FORMER, SILENT -> {
          return;
        }
        case DIES -> from.leave();
        case RESETS -> from.abort();
        case LEFT -> {
          if (random.nextBoolean()) {
            to.abort();
          } else {
            to.leave();
          }
          here.leave();
        }
      }
      over = true;
    }

    void goOn() {
      if (!over && failure() == null) {
        if (here.converse(to)) {
          toPeer.wake();
        }
        if (there.converse(from)) {
          atPeer.wake();
        }
      }
    }

    private TomboloException failure() {
      return toPeer.failure() != null ? toPeer.failure() : atPeer.failure();
    }

    boolean isServed() {
      return !role.isServed() || (here.isDone() && there.isDone()) || failure() != null;
    }

    /** What went wrong, or null. */
    String complaint() {
      if (role == Role.LEFT) {
        here.lookAgainAtReceives();
      }
      if (over || here.complaint() != null) {
        return here.complaint();
      }
      if (failure() != null) {
        return "here " + toPeer.failure() + ", there " + atPeer.failure();
      }
      return role.isServed() ? outcome() : null;
    }

    private String outcome() {
      if (!here.isDone() || !there.isDone()) {
        return "not served: " + here;
      }
      here.lookAgain();
      there.lookAgain();
      return here.complaint() != null ? here.complaint() : there.complaint();
    }

    @Override
    public void close() {
      toPeer.close();
      atPeer.close();
      here.close();
      there.close();
    }

    @Override
    public String toString() {
      return "who " + role;
    }
  }
}
