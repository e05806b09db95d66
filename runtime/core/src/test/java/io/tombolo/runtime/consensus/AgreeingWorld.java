// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.runtime.consensus.Course.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Ranks that agree, each with an acceptor, at one moment of a simulation. A move is a single answer
 * of one acceptor to one rank, an acceptor's silence, a rank's patience that ends, or a death: in
 * between anything may happen elsewhere. A value.
 *
 * @param acceptors what stands in those that live, by rank
 * @param ranks how far those are that live
 * @param deathsLeft how many may die yet
 * @param silencesLeft how many questions may go unanswered yet, though the acceptor lives
 * @param attemptsLeft how many attempts may begin yet: a duel could go on for ever
 * @param verdicts what those got that have ended with one, the dead included
 */
record AgreeingWorld(
    ImmutableMap<Integer, Held> acceptors,
    ImmutableMap<Integer, Rank> ranks,
    int deathsLeft,
    int silencesLeft,
    int attemptsLeft,
    ImmutableSet<Verdict> verdicts) {

  /** What stands in an acceptor. */
  record Held(ImmutableList<Arrival> arrivals, Register register, Optional<Verdict> verdict) {}

  /**
   * A rank in the middle of a step.
   *
   * @param answered the acceptors that have answered, or are passed over
   */
  record Rank(
      Course course,
      boolean isPatient,
      ImmutableSet<Integer> answered,
      ImmutableList<Sighting> sightings,
      ImmutableList<Register> registers) {

    Rank begun(Course next) {
      return new Rank(next, isPatient, ImmutableSet.of(), ImmutableList.of(), ImmutableList.of());
    }
  }

  static AgreeingWorld of(int size, int deaths, int silences, int attempts) {
    Map<Integer, Held> acceptors = new HashMap<>();
    Map<Integer, Rank> ranks = new HashMap<>();
    ImmutableSortedSet<Integer> all =
        IntStream.range(0, size)
            .boxed()
            .collect(ImmutableSortedSet.toImmutableSortedSet(Integer::compare));
    for (int rank = 0; rank < size; rank++) {
      acceptors.put(rank, new Held(ImmutableList.of(), Register.BLANK, Optional.empty()));
      Course course = Course.begin(new Participants(rank, all, all.asList()));
      ranks.put(
          rank, new Rank(course, true, ImmutableSet.of(), ImmutableList.of(), ImmutableList.of()));
    }
    return new AgreeingWorld(
        ImmutableMap.copyOf(acceptors),
        ImmutableMap.copyOf(ranks),
        deaths,
        silences,
        attempts,
        ImmutableSet.of());
  }

  /** All worlds that can come next; none, if nobody can go on. */
  List<AgreeingWorld> next() {
    List<AgreeingWorld> worlds = new ArrayList<>();
    ranks.forEach(
        (self, rank) -> {
          moves(self, rank, worlds::add);
          if (deathsLeft > 0) {
            worlds.add(without(self));
          }
        });
    return worlds;
  }

  /**
   * As {@link #next}, where a move is a whole step: all acceptors answer a rank at once; or it dies
   * when only some have.
   */
  List<AgreeingWorld> nextByStep() {
    List<AgreeingWorld> worlds = new ArrayList<>();
    ranks.forEach(
        (self, rank) -> {
          Step step = rank.course().step();
          boolean isOver = step instanceof Step.Done || step instanceof Step.Lost;
          if (!isOver) {
            AgreeingWorld all = answered(self, acceptors.keySet());
            all.folded(self, all.ranks().get(self), worlds::add);
          }
          if (deathsLeft > 0) {
            Set<Set<Integer>> some = isOver ? Set.of(Set.of()) : Sets.powerSet(acceptors.keySet());
            some.forEach(each -> worlds.add(answered(self, each).without(self)));
          }
        });
    return worlds;
  }

  private AgreeingWorld answered(int self, Set<Integer> some) {
    AgreeingWorld world = this;
    for (int acceptor : some) {
      world = world.answered(self, world.ranks().get(self), acceptor);
    }
    return world;
  }

  private void moves(int self, Rank rank, Consumer<AgreeingWorld> out) {
    Step step = rank.course().step();
    if (step instanceof Step.Done || step instanceof Step.Lost) {
      return;
    }
    Set<Integer> open = Sets.difference(acceptors.keySet(), rank.answered());
    if (open.isEmpty()) {
      folded(self, rank, out);
      return;
    }
    for (int acceptor : open) {
      out.accept(answered(self, rank, acceptor));
      if (silencesLeft > 0 && acceptor != self) {
        out.accept(silent(self, rank, acceptor));
      }
    }
  }

  /** {@code acceptor} answers {@code self}. */
  private AgreeingWorld answered(int self, Rank rank, int acceptor) {
    Held held = acceptors.get(acceptor);
    ImmutableList.Builder<Sighting> sightings =
        ImmutableList.<Sighting>builder().addAll(rank.sightings());
    ImmutableList.Builder<Register> registers =
        ImmutableList.<Register>builder().addAll(rank.registers());
    Step step = rank.course().step();
    Held after = held;
    if (step instanceof Step.Look) {
      Arrival mine = arrival(self);
      if (!held.arrivals().contains(mine)) {
        ImmutableList<Arrival> arrivals =
            ImmutableList.sortedCopyOf(
                (one, other) -> Integer.compare(one.rank(), other.rank()),
                Sets.union(ImmutableSet.copyOf(held.arrivals()), Set.of(mine)));
        after = new Held(arrivals, held.register(), held.verdict());
      }
      sightings.add(new Sighting(after.arrivals(), after.verdict()));
    } else if (step instanceof Step.Prepare prepare) {
      Register register = held.register().prepared(prepare.ballot());
      after = new Held(held.arrivals(), register, held.verdict());
      registers.add(register);
    } else if (step instanceof Step.Accept accept) {
      Register register = held.register().accepted(accept.ballot(), accept.verdict());
      after = new Held(held.arrivals(), register, held.verdict());
      registers.add(register);
    } else if (step instanceof Step.Spread spread) {
      after = new Held(held.arrivals(), held.register(), Optional.of(spread.verdict()));
    }
    Rank now =
        new Rank(
            rank.course(),
            rank.isPatient(),
            ImmutableSet.copyOf(Sets.union(rank.answered(), Set.of(acceptor))),
            sightings.build(),
            registers.build());
    return with(
        put(acceptors, acceptor, after),
        put(ranks, self, now),
        silencesLeft,
        attemptsLeft,
        verdicts);
  }

  static Arrival arrival(int rank) {
    return new Arrival(rank, ~(1L << rank), rank % 2 == 0);
  }

  private AgreeingWorld silent(int self, Rank rank, int acceptor) {
    Rank now =
        new Rank(
            rank.course(),
            rank.isPatient(),
            ImmutableSet.copyOf(Sets.union(rank.answered(), Set.of(acceptor))),
            rank.sightings(),
            rank.registers());
    return with(acceptors, put(ranks, self, now), silencesLeft - 1, attemptsLeft, verdicts);
  }

  /** All have answered that do: on to the next step. */
  private void folded(int self, Rank rank, Consumer<AgreeingWorld> out) {
    Step step = rank.course().step();
    if (step instanceof Step.Look) {
      Course patient = rank.course().afterLook(rank.sightings(), gone(rank), true);
      entered(self, rank, patient, out);
      Course impatient = rank.course().afterLook(rank.sightings(), gone(rank), false);
      if (!impatient.equals(patient)) {
        entered(self, rank, impatient, out);
      }
    } else if (step instanceof Step.Prepare prepare) {
      entered(self, rank, rank.course().afterPrepare(prepare, rank.registers()), out);
    } else if (step instanceof Step.Accept accept) {
      entered(self, rank, rank.course().afterAccept(accept, rank.registers()), out);
    } else if (step instanceof Step.Spread spread) {
      entered(self, rank, rank.course().afterSpread(spread), out);
    }
  }

  private Set<Integer> gone(Rank rank) {
    return Sets.difference(rank.course().who().members(), ranks.keySet()).immutableCopy();
  }

  private void entered(int self, Rank rank, Course next, Consumer<AgreeingWorld> out) {
    boolean begins = next.step() instanceof Step.Prepare;
    if (begins && attemptsLeft == 0) {
      return;
    }
    Set<Verdict> all =
        next.step() instanceof Step.Done done
            ? Sets.union(verdicts, Set.of(done.verdict()))
            : verdicts;
    out.accept(
        with(
            acceptors,
            put(ranks, self, rank.begun(next)),
            silencesLeft,
            attemptsLeft - (begins ? 1 : 0),
            ImmutableSet.copyOf(all)));
  }

  private AgreeingWorld without(int rank) {
    return new AgreeingWorld(
        ImmutableMap.copyOf(Maps.filterKeys(acceptors, key -> key != rank)),
        ImmutableMap.copyOf(Maps.filterKeys(ranks, key -> key != rank)),
        deathsLeft - 1,
        silencesLeft,
        attemptsLeft,
        verdicts);
  }

  private AgreeingWorld with(
      ImmutableMap<Integer, Held> nextAcceptors,
      ImmutableMap<Integer, Rank> nextRanks,
      int silences,
      int attempts,
      ImmutableSet<Verdict> all) {
    return new AgreeingWorld(nextAcceptors, nextRanks, deathsLeft, silences, attempts, all);
  }

  private static <V> ImmutableMap<Integer, V> put(ImmutableMap<Integer, V> map, int key, V value) {
    Map<Integer, V> changed = new HashMap<>(map);
    changed.put(key, value);
    return ImmutableMap.copyOf(changed);
  }
}
