// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Sets;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * How far one rank is in an agreement. It asks all acceptors the same, and what it asks next
 * follows from the answers that came. Pure.
 *
 * @param who who agrees
 * @param step what to ask next
 * @param ballot the greatest it knows of
 * @param came those known to have come
 * @param gone those that need not be waited for: their processes have ended
 */
record Course(
    Participants who,
    Step step,
    Ballot ballot,
    ImmutableSortedMap<Integer, Arrival> came,
    ImmutableSet<Integer> gone) {

  /** What an acceptor is asked. */
  sealed interface Step {
    /** Who has come, and whether something has been decided. */
    record Look() implements Step {}

    /** To promise to listen to nothing below {@code ballot}. */
    record Prepare(Ballot ballot) implements Step {}

    /** To accept {@code verdict}. */
    record Accept(Ballot ballot, Verdict verdict) implements Step {}

    /** To note what has been decided, for those that look. */
    record Spread(Verdict verdict) implements Step {}

    /** Nothing: it is over, with a {@code verdict}. */
    record Done(Verdict verdict) implements Step {}

    /** Nothing: it is over, as too few acceptors answer. */
    record Lost(int answered) implements Step {}
  }

  /** Of a rank that begins. */
  static Course begin(Participants who) {
    return new Course(
        who, new Step.Look(), Ballot.NONE, ImmutableSortedMap.of(), ImmutableSet.of());
  }

  /**
   * After a look.
   *
   * @param seen what was found at those acceptors that answered
   * @param ended those known to be gone
   * @param isPatient whether ranks that may come are waited for still
   */
  Course afterLook(Collection<Sighting> seen, Set<Integer> ended, boolean isPatient) {
    Map<Integer, Arrival> all = new TreeMap<>(came);
    seen.forEach(each -> each.arrivals().forEach(arrival -> all.put(arrival.rank(), arrival)));
    Course now =
        new Course(
            who,
            step,
            ballot,
            ImmutableSortedMap.copyOf(all),
            ImmutableSet.copyOf(Sets.union(gone, ended)));
    Optional<Verdict> decided = seen.stream().flatMap(each -> each.verdict().stream()).findFirst();
    if (decided.isPresent()) {
      return now.at(new Step.Spread(decided.get()));
    }
    if (seen.size() < who.quorum()) {
      return isPatient && now.hasHope()
          ? now.at(new Step.Look())
          : now.at(new Step.Lost(seen.size()));
    }
    boolean complete =
        Sets.difference(Sets.difference(who.members(), now.came.keySet()), now.gone).isEmpty();
    return complete || !isPatient
        ? now.at(new Step.Prepare(ballot.next(who.self())))
        : now.at(new Step.Look());
  }

  /** Whether so many acceptors may answer yet that something can be decided. */
  private boolean hasHope() {
    return who.acceptors().stream().filter(rank -> !gone.contains(rank)).count() >= who.quorum();
  }

  /** After it asked for promises; {@code answers} are the registers of those that answered. */
  Course afterPrepare(Step.Prepare asked, Collection<Register> answers) {
    if (isWon(asked.ballot(), answers)) {
      Verdict verdict =
          answers.stream()
              .filter(each -> each.promised().equals(asked.ballot()))
              .max(Comparator.comparing(Register::accepted))
              .flatMap(Register::verdict)
              .orElseGet(this::proposal);
      return knowing(answers).at(new Step.Accept(asked.ballot(), verdict));
    }
    return knowing(answers).at(new Step.Look());
  }

  /** After it asked to accept; {@code answers} as before. */
  Course afterAccept(Step.Accept asked, Collection<Register> answers) {
    return isWon(asked.ballot(), answers)
        ? at(new Step.Spread(asked.verdict()))
        : knowing(answers).at(new Step.Look());
  }

  /** After it told those that answered. */
  Course afterSpread(Step.Spread told) {
    return at(new Step.Done(told.verdict()));
  }

  private boolean isWon(Ballot asked, Collection<Register> answers) {
    long granted = answers.stream().filter(each -> each.promised().equals(asked)).count();
    return granted >= who.quorum();
  }

  /** What this rank would have decided. */
  private Verdict proposal() {
    ImmutableMap<Integer, Arrival> living =
        came.entrySet().stream()
            .filter(entry -> !gone.contains(entry.getKey()))
            .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));
    long flags =
        living.values().stream().mapToLong(Arrival::flags).reduce(-1, (one, other) -> one & other);
    boolean isStoreThere = living.values().stream().allMatch(Arrival::seesStore);
    int host =
        who.acceptors().stream().filter(living::containsKey).findFirst().orElse(Verdict.STORE);
    return new Verdict(
        isStoreThere ? Verdict.STORE : host, flags, ImmutableList.copyOf(living.keySet()));
  }

  private Course knowing(Collection<Register> answers) {
    Ballot greatest =
        answers.stream().map(Register::promised).reduce(ballot, (one, other) -> one.max(other));
    return new Course(who, step, greatest, came, gone);
  }

  private Course at(Step next) {
    return new Course(who, next, ballot, came, gone);
  }
}
