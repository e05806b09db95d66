// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/**
 * Conversations over simulated rails, in which rails die on one side or both, or fall silent, at
 * any time, and in which processes stand still. A seed decides all of it.
 */
public final class RailsSimulationTest {
  private static final int SEEDS = Integer.getInteger("tombolo.sim.seeds", 2_500) / 10;

  /** All that recovers does so within seconds; the longest that a silent rail takes is 10 s. */
  private static final long LONGEST_NS = 600_000_000_000L;

  private static final long SILENCE_NS = 10_000_000_000L;
  private static final long CONVERSATION_NS = 300_000_000;
  private static final long STANDSTILL_NS = 5_000_000_000L;
  private static final long QUICK_OPENING_NS = 10_000_000;
  private static final long SLOW_OPENING_NS = 20_000_000_000L;
  private static final int QUICK_COPY_BITS = 26;
  private static final int SLOW_COPY_BITS = 33;
  private static final long ONE_AFTER_THE_OTHER_NS = 30_000_000;

  @Test
  public void shouldDeliverEveryByteOnceOverTheRailsThatAreLeft() {
    Long only = Long.getLong("tombolo.seed");
    if (only != null) {
      assertEquals(new Play(only, true).wrong(), 0, "seed " + only);
      return;
    }
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertEquals(new Play(seed, true).wrong(), 0, "seed " + seed);
    }
  }

  /** A copy that is late lands in memory that was given back. */
  @Test
  public void shouldFindThatNothingFencesADeadRail() {
    boolean found = false;
    for (long seed = 1; seed <= 200 && !found; seed++) {
      found = new Play(seed, false).wrong() > 0;
    }
    assertTrue(found, "nobody missed the fence");
  }

  /** One conversation. */
  private static final class Play {
    private final long seed;
    private final World world;
    private final List<WorldRail> rails = new ArrayList<>();
    private final WorldSide[] sides = new WorldSide[2];
    private final WorldFlow[] flows = new WorldFlow[2];
    private final long[] awakeNs = new long[2];
    private int broken;

    Play(long seed, boolean isFenced) {
      this.seed = seed;
      world = new World(seed);
      SplittableRandom random = world.split();
      int[] rates = random.ints(2 + random.nextInt(3), 1, 9).toArray();
      boolean isSentEarly = random.nextBoolean();
      for (int rail = 0; rail < rates.length; rail++) {
        rails.add(
            new WorldRail(world, isFenced, isSentEarly)
                .opensWithin(random.nextInt(8) == 0 ? SLOW_OPENING_NS : QUICK_OPENING_NS)
                .copiesWithinBits(random.nextInt(4) == 0 ? SLOW_COPY_BITS : QUICK_COPY_BITS));
      }
      WorldSocket[] sockets = WorldSocket.pair(world);
      for (int side = 0; side < 2; side++) {
        sides[side] = new WorldSide(world, side, rails, rates, sockets[side]);
      }
      flows[0] = new WorldFlow(sides[0], sides[1], world.split());
      flows[1] = new WorldFlow(sides[1], sides[0], world.split());
      int toBreak = random.nextInt(8) == 0 ? rates.length : random.nextInt(rates.length);
      boolean areTogether = random.nextBoolean(); // so that some die in the middle of a recovery
      long fromNs = areTogether ? random.nextLong(CONVERSATION_NS) : 0;
      long withinNs = areTogether ? ONE_AFTER_THE_OTHER_NS : CONVERSATION_NS;
      world.at(
          fromNs,
          () -> rails.stream().limit(toBreak).forEach(rail -> breakLater(rail, withinNs, random)));
      broken = toBreak;
    }

    private void breakLater(WorldRail rail, long withinNs, SplittableRandom random) {
      int side = random.nextInt(2);
      int how = random.nextInt(3);
      world.within(
          withinNs,
          () -> {
            if (how == 0) {
              rail.fallSilent();
              giveUpLater(rail);
            } else {
              rail.die(side);
              if (how == 1) {
                world.within(1L << 24, () -> rail.die(1 - side));
              }
            }
          });
    }

    /** A rail's own time-outs tell in the end, on each side when it likes. */
    private void giveUpLater(WorldRail rail) {
      long startNs = world.read();
      for (int side = 0; side < 2; side++) {
        int which = side;
        world.at(startNs + SILENCE_NS + world.delay(30), () -> rail.die(which));
      }
    }

    /** Plays it to its end; how many messages were wrong. */
    int wrong() {
      Channel.Completions[] completions = {
        new Completions(flows[0], flows[1]), new Completions(flows[1], flows[0])
      };
      while (!isOver()) {
        world.advance();
        flows[0].step();
        flows[1].step();
        int first = world.dice(2);
        progress(first, completions[first]);
        progress(1 - first, completions[1 - first]);
        assertTrue(world.read() < LONGEST_NS, "it comes to no end, seed " + seed);
      }
      checkEnd();
      sides[0].close();
      sides[1].close();
      world.end();
      assertTrue(sides[0].isQuiet() && sides[1].isQuiet(), "seed " + seed);
      return flows[0].wrong() + flows[1].wrong();
    }

    private void progress(int side, Channel.Completions completions) {
      if (world.read() >= awakeNs[side]) {
        sides[side].progress(completions);
        boolean standsStill = world.dice(5_000) == 0;
        awakeNs[side] = standsStill ? world.read() + STANDSTILL_NS : 0;
      }
    }

    private boolean isOver() {
      boolean bothFailed = sides[0].failure().isPresent() && sides[1].failure().isPresent();
      return bothFailed || (flows[0].isDone() && flows[1].isDone());
    }

    private void checkEnd() {
      boolean allBroken = broken == rails.size();
      for (int side = 0; side < 2; side++) {
        String failure = sides[side].failure().map(Throwable::getMessage).orElse("");
        assertTrue(failure.isEmpty() || allBroken, "seed " + seed + ": " + failure);
        if (failure.isEmpty()) {
          assertEquals(sides[side].sentBytes(), flows[side].bytes(), "seed " + seed);
          assertEquals(sides[side].receivedBytes(), flows[1 - side].bytes(), "seed " + seed);
          int unbroken = (1 << rails.size()) - (1 << broken);
          int live = sides[side].live() & unbroken;
          assertEquals(live, unbroken, "healthy rails were given up, seed " + seed);
        }
      }
    }
  }

  private record Completions(WorldFlow out, WorldFlow in) implements Channel.Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {
      out.onSent(tag);
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      in.onReceived(tag);
    }
  }
}
