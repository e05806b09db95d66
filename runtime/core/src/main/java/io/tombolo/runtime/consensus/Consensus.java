// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.runtime.consensus.Course.Step;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * One agreement of ranks, some of which may die meanwhile: all that get a {@link Verdict} get the
 * same. It needs nothing of the job but the acceptors that some ranks host, of which more than half
 * must answer. For one thread.
 */
public final class Consensus implements AutoCloseable {
  private static final String AGREEMENTS = "agreements/";

  /** An acceptor that has not answered by then is left out this time. */
  private static final Duration ANSWER = Duration.ofSeconds(2);

  /** Between two looks; more ranks look less often each. */
  private static final long LOOK_MS = 20;

  /** The first in order proposes at once, and the next ones one after the other, if it does not. */
  private static final long TURN_MS = 30;

  private static final int MAX_TURNS = 10;

  private final Participants who;
  private final Arrival mine;
  private final IntPredicate isKnownGone;
  private final Map<Integer, AcceptorLine> lines = new LinkedHashMap<>();
  private final Map<Integer, Future<?>> open = new HashMap<>();

  /**
   * An agreement that is about to begin.
   *
   * @param name what it is called, the same on all its ranks, and unlike all others of the job
   * @param previous what the one before was called, if the same ranks had one
   * @param size how many ranks the job has
   * @param self this rank's number in the job
   * @param members those that are to agree, likewise
   * @param addresses where the job's acceptors are, by rank; those that are missing do not answer
   * @param flags what this rank brings
   * @param seesStore whether the job's store answers this rank
   * @param isKnownGone tells of a rank whether its process is seen to have ended
   */
  public Consensus(
      String name,
      Optional<String> previous,
      int size,
      int self,
      Collection<Integer> members,
      Map<Integer, byte[]> addresses,
      JobToken token,
      long flags,
      boolean seesStore,
      IntPredicate isKnownGone) {
    this.who =
        new Participants(self, ImmutableSortedSet.copyOf(members), Participants.acceptorsOf(size));
    this.mine = new Arrival(self, flags, seesStore);
    this.isKnownGone = isKnownGone;
    Map<Integer, byte[]> known = Maps.filterKeys(addresses, who.acceptors()::contains);
    known.forEach(
        (rank, address) ->
            lines.put(
                rank,
                new AcceptorLine(
                    AcceptorHost.parse(address), token, host -> acceptor(host, name, previous))));
  }

  private static Acceptor acceptor(Store host, String name, Optional<String> previous) {
    return new Acceptor(
        host.within(AGREEMENTS + name), previous.map(other -> host.within(AGREEMENTS + other)));
  }

  /**
   * Comes, and blocks until all have agreed.
   *
   * @param limit how long ranks are waited for that have not come, and are not seen to be gone
   * @throws NoQuorumException if too few acceptors answer
   * @throws AbortedException if this thread is interrupted
   */
  public Verdict reach(Duration limit) {
    Deadline patience = Deadline.after(limit);
    Course course = Course.begin(who);
    while (true) {
      Step step = course.step();
      if (step instanceof Step.Look) {
        course = look(course, patience);
      } else if (step instanceof Step.Prepare prepare) {
        course = course.afterPrepare(prepare, ask(each -> each.prepare(prepare.ballot())));
        restIfBeaten(course);
      } else if (step instanceof Step.Accept accept) {
        course =
            course.afterAccept(accept, ask(each -> each.accept(accept.ballot(), accept.verdict())));
        restIfBeaten(course);
      } else if (step instanceof Step.Spread spread) {
        ask(each -> told(each, spread.verdict()));
        course = course.afterSpread(spread);
      } else if (step instanceof Step.Done done) {
        return done.verdict();
      } else if (step instanceof Step.Lost lost) {
        throw new NoQuorumException(
            "rank %s: no majority: only %s of %s acceptors answered (ranks %s host them), and %s must: the others have ended, are stopped or cut off; start the job again"
                .formatted(
                    who.self(),
                    lost.answered(),
                    who.acceptors().size(),
                    who.acceptors(),
                    who.quorum()));
      }
    }
  }

  private Course look(Course course, Deadline patience) {
    Course next = looked(course, patience);
    if (next.step() instanceof Step.Prepare) {
      int turn = next.came().headMap(who.self()).size();
      rest(TURN_MS * Math.min(turn, MAX_TURNS));
      return turn == 0 ? next : looked(course, patience); // somebody may have been quicker
    }
    if (next.step() instanceof Step.Look) {
      rest(Math.max(LOOK_MS, who.members().size()));
    }
    return next;
  }

  private Course looked(Course course, Deadline patience) {
    List<Sighting> seen = ask(each -> each.look(mine));
    return course.afterLook(seen, gone(course), !patience.isExpired());
  }

  private Set<Integer> gone(Course course) {
    Set<Integer> gone = new TreeSet<>();
    lines.forEach(
        (rank, line) -> {
          if (line.isGone()) {
            gone.add(rank);
          }
        });
    who.members().stream()
        .filter(rank -> rank != who.self() && !course.came().containsKey(rank))
        .filter(isKnownGone::test)
        .forEach(gone::add);
    return gone;
  }

  private static void restIfBeaten(Course course) {
    if (course.step() instanceof Step.Look) {
      rest(ThreadLocalRandom.current().nextLong(TURN_MS)); // two that duel must not do so in step
    }
  }

  private static boolean told(Acceptor acceptor, Verdict verdict) {
    acceptor.spread(verdict);
    return true;
  }

  /** The answers of those acceptors that give one in time. */
  private <T> List<T> ask(Function<Acceptor, T> question) {
    Map<Integer, Future<Optional<T>>> asked = new LinkedHashMap<>();
    lines.forEach(
        (rank, line) -> {
          Future<?> last = open.get(rank);
          if (last == null || last.isDone()) {
            Future<Optional<T>> answer = line.ask(question);
            asked.put(rank, answer);
            open.put(rank, answer);
          }
        });
    Deadline deadline = Deadline.after(ANSWER);
    List<T> answers = new ArrayList<>();
    asked.values().forEach(each -> answerOf(each, deadline).ifPresent(answers::add));
    return answers;
  }

  private static <T> Optional<T> answerOf(Future<Optional<T>> asked, Deadline deadline) {
    try {
      Duration left = Duration.ofNanos(Math.max(1, deadline.remainingNs()));
      return Uninterruptibles.getUninterruptibly(asked, left);
    } catch (TimeoutException | CancellationException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException("an acceptor's line broke", e.getCause());
    }
  }

  private static void rest(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while the ranks agree", e);
    }
  }

  @Override
  public void close() {
    lines.values().forEach(AcceptorLine::close);
  }
}
