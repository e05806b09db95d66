// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import java.util.List;
import java.util.stream.Stream;

/** Two sides with two simulated rails, and messages between them whose bytes do not matter. */
final class WorldPair implements Channel.Completions {
  private final World world;
  private final List<WorldRail> rails;
  private final WorldSide[] sides = new WorldSide[2];
  private int sent;
  private int received;

  WorldPair(long seed) {
    world = new World(seed);
    rails = Stream.generate(() -> new WorldRail(world, true, false)).limit(2).toList();
    open();
  }

  /** The same with a second rail that opens within so long. */
  WorldPair(long seed, long opensWithinNs) {
    world = new World(seed);
    rails =
        List.of(
            new WorldRail(world, true, false),
            new WorldRail(world, true, false).opensWithin(opensWithinNs));
    open();
  }

  private void open() {
    WorldSocket[] sockets = WorldSocket.pair(world);
    for (int side = 0; side < 2; side++) {
      sides[side] = new WorldSide(world, side, rails, new int[] {1, 1}, sockets[side]);
    }
  }

  World world() {
    return world;
  }

  List<WorldRail> rails() {
    return rails;
  }

  WorldSide side(int side) {
    return sides[side];
  }

  int sent() {
    return sent;
  }

  int received() {
    return received;
  }

  /** Posts so many messages of {@code bytes} from {@code side} to the other. */
  void post(int side, int bytes, int messages) {
    for (int tag = 0; tag < messages; tag++) {
      sides[1 - side].postings.receive(tag, new WorldMemory(bytes), 0, bytes);
      sides[side].postings.send(tag, new WorldMemory(bytes), 0, bytes);
    }
  }

  /** A round of that side's process. */
  void round(int side) {
    world.advance();
    sides[side].progress(this);
  }

  /** Rounds of both, for so long. */
  void run(long forNs) {
    long endNs = world.read() + forNs;
    while (world.read() < endNs) {
      round(0);
      round(1);
    }
  }

  /** Lets the first side alone find out, for so long at most. */
  TomboloException endOfFirst(long withinNs) {
    long endNs = world.read() + withinNs;
    while (sides[0].failure().isEmpty() && world.read() < endNs) {
      round(0);
    }
    assertTrue(sides[0].failure().isPresent(), "no error after " + withinNs + " ns");
    return sides[0].failure().get();
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    sent++;
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    received++;
  }
}
