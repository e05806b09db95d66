// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.SubmittedOperation;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.work.WorkStage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes sure that all ranks made the same call, on a binary tree over the ranks and concurrently
 * with the operation.
 *
 * <p>Votes travel up, one verdict travels down. Where ranks have a {@link VoteBoard} they read each
 * other's votes there instead; the tree then only tells of peers that have gone. Operations are
 * voted on one after the other. Used by the agent's thread only.
 */
public final class CallCheck implements AutoCloseable {
  private static final String NEXT = "; see what it does instead (tombolo stat PID, jstack PID)";

  private final int rank;
  private final long group;
  private final Optional<VoteLink> parent;
  private final VoteLink[] children;
  private final Optional<VoteBoard> board;

  /** For those who cast early. */
  private final LastBallot early;

  /** For the agent. */
  private final LastBallot begunWith;

  private final AtomicLong votes = new AtomicLong();
  private final Queue<PeerFailedException> news = new ArrayDeque<>();
  private SubmittedOperation operation;
  private Vote mine;
  private boolean sentUp;
  private long begun;
  private long agreed;

  /**
   * Votes over {@code channels}, which join this rank to each of its {@link #neighbours}, or on
   * {@code board}; {@code group} names the communicator in the job. The channels are this one's to
   * close once it is made.
   */
  public CallCheck(
      int rank, int size, long group, Map<Integer, Channel> channels, Optional<VoteBoard> board) {
    this.rank = rank;
    this.group = group;
    this.board = board;
    try (CloseStack made = new CloseStack()) {
      this.parent =
          rank == 0 ? Optional.empty() : Optional.of(link(parentOf(rank), channels, made));
      this.children =
          childrenOf(rank, size).stream()
              .map(child -> link(child, channels, made))
              .toArray(VoteLink[]::new);
      made.keep();
    }
    LoadingCache<Plan, Vote.Ballot> ballots = ballots(rank, group);
    this.early = new LastBallot(ballots);
    this.begunWith = new LastBallot(ballots);
  }

  /** What is said of a call, as long as its plan is there. */
  private static LoadingCache<Plan, Vote.Ballot> ballots(int rank, long group) {
    return CacheBuilder.newBuilder()
        .weakKeys()
        .build(CacheLoader.from(plan -> Vote.Ballot.of(rank, group, plan.call(), plan.scheme())));
  }

  private static VoteLink link(int place, Map<Integer, Channel> channels, CloseStack made) {
    return new VoteLink(place, channels.get(place), made.opened(VoteLink.memory()));
  }

  /** The ranks that {@code rank} exchanges votes with. */
  public static List<Integer> neighbours(int rank, int size) {
    List<Integer> neighbours = new ArrayList<>(childrenOf(rank, size));
    if (rank > 0) {
      neighbours.add(parentOf(rank));
    }
    return neighbours;
  }

  private static int parentOf(int rank) {
    return (rank - 1) / 2;
  }

  private static List<Integer> childrenOf(int rank, int size) {
    List<Integer> children = new ArrayList<>();
    for (long child = 2L * rank + 1; child <= 2L * rank + 2 && child < size; child++) {
      children.add((int) child);
    }
    return children;
  }

  /** This rank votes on the calls of {@code next}. */
  public void begin(SubmittedOperation next) {
    operation = next;
    next.watch().begin(WorkStage.VOTE);
    mine = new Vote(next.sequence(), ballot(next.submission(), begunWith), Optional.empty());
    begun = next.sequence();
    votes.incrementAndGet();
    sentUp = false;
    if (board.isPresent()) {
      board.get().cast(mine);
      board.get().begin();
      return;
    }
    for (VoteLink child : children) {
      child.expect();
    }
  }

  /**
   * Shows the others at once what this rank calls as operation {@code sequence}, if they can see it
   * and there is room; else {@link #begin} does. For callers, one at a time.
   */
  public void castEarly(long sequence, Submission submission) {
    if (board.isPresent() && board.get().hasRoom(sequence)) {
      board.get().cast(new Vote(sequence, ballot(submission, early), Optional.empty()));
    }
  }

  /** Whether this rank can vote on operation {@code sequence} now. */
  public boolean hasRoom(long sequence) {
    return board.isEmpty() || board.get().hasRoom(sequence);
  }

  private Vote.Ballot ballot(Submission submission, LastBallot last) {
    return submission.calls().size() == 1
        ? last.of(submission.tasks().get(0).plan())
        : Vote.Ballot.of(rank, group, submission);
  }

  /** Whether the vote on operation {@code sequence} has begun. */
  public boolean hasBegun(long sequence) {
    return begun >= sequence;
  }

  /** Whether no vote is being taken. */
  public boolean isIdle() {
    return mine == null;
  }

  /** Votes begun so far. Thread-safe. */
  public long votes() {
    return votes.get();
  }

  /** Whether all ranks are known to have made the same call as operation {@code sequence}. */
  public boolean agreed(long sequence) {
    return agreed >= sequence;
  }

  /**
   * Takes the vote forward; throws {@link MismatchException} if ranks made different calls, and
   * {@link PeerFailedException} if a neighbour has gone without its word on the call.
   */
  public int work() {
    int done = poll();
    if (mine != null) {
      done += board.isPresent() ? look(board.get()) : pass();
    }
    if (mine != null) {
      requireThere();
    }
    return done;
  }

  /**
   * Whether the vote waits for words of other ranks that are not on the board yet, as far as one
   * look there tells: then {@link #work} finds none, and at most that somebody has gone.
   */
  public boolean lacksVotes() {
    return mine != null && board.isPresent() && !board.get().isComplete(mine);
  }

  /** As {@link #work}, but looks at the board only, and for no neighbour that has gone. */
  public int look() {
    return mine != null && board.isPresent() ? look(board.get()) : 0;
  }

  private int pass() {
    if (!sentUp && haveAllArrived()) {
      return sendUp();
    }
    if (sentUp && parent.isPresent() && parent.get().hasArrived()) {
      decide(parent.get().take(mine));
      return 1;
    }
    return 0;
  }

  /** Who has gone says no more than it has said. */
  private void requireThere() {
    if (parent.isPresent() && parent.get().gone() != null && isMissing(parent.get())) {
      throw parent.get().gone();
    }
    for (VoteLink child : children) {
      if (child.gone() != null && !sentUp && isMissing(child)) {
        throw child.gone();
      }
    }
  }

  private boolean isMissing(VoteLink neighbour) {
    return board.isPresent()
        ? !board.get().hasVoted(neighbour.place(), mine)
        : !neighbour.hasArrived();
  }

  /** How a neighbour went that was seen to have gone, each once; null if there is no other. */
  public PeerFailedException nextGone() {
    return news.poll();
  }

  private int look(VoteBoard at) {
    if (!at.isComplete(mine)) {
      return 0;
    }
    Vote sum = at.sum(mine);
    at.read(mine.sequence());
    decide(sum);
    return 1;
  }

  /** Called in every round, so it makes no garbage. */
  private int poll() {
    int done = parent.isPresent() ? poll(parent.get()) : 0;
    for (VoteLink child : children) {
      done += poll(child);
    }
    return done;
  }

  private int poll(VoteLink neighbour) {
    if (neighbour.gone() != null) {
      return 0;
    }
    int done = neighbour.poll();
    if (neighbour.gone() != null) {
      news.add(neighbour.gone());
    }
    return done;
  }

  private boolean haveAllArrived() {
    for (VoteLink child : children) {
      if (!child.hasArrived()) {
        return false;
      }
    }
    return true;
  }

  private int sendUp() {
    Vote subtree = mine;
    for (VoteLink child : children) {
      subtree = subtree.and(sameOperation(child.take(mine)));
    }
    sentUp = true;
    if (parent.isEmpty()) {
      decide(subtree);
    } else {
      parent.get().expect();
      parent.get().send(subtree);
    }
    return 1;
  }

  private void decide(Vote verdict) {
    sameOperation(verdict);
    for (int i = 0; i < children.length && board.isEmpty(); i++) {
      children[i].send(verdict);
    }
    operation.watch().end(WorkStage.VOTE);
    long sequence = mine.sequence();
    mine = null;
    if (verdict.other().isPresent()) {
      throw new MismatchException(verdict.mismatch()).during(operation.describe());
    }
    agreed = sequence;
  }

  private Vote sameOperation(Vote vote) {
    if (vote.sequence() != mine.sequence()) {
      throw new MismatchException(
          "rank "
              + rank
              + " is at operation #"
              + mine.sequence()
              + " but was sent a vote on #"
              + vote.sequence());
    }
    return vote;
  }

  /**
   * Whether this rank itself sees whose word is missing, rather than only waiting for a verdict.
   */
  public boolean seesWhoIsMissing() {
    return board.isPresent() || (!sentUp && !haveAllArrived());
  }

  /** Ranks whose word is missing, for error messages. */
  public String waitingFor() {
    if (board.isPresent() && mine == null) {
      return "rank %s does not read the others' votes: its process may be stopped"
          .formatted(board.get().slowest());
    }
    if (board.isPresent()) {
      return "no vote from rank " + board.get().missing() + ": it has not made this call" + NEXT;
    }
    List<Integer> silent =
        Arrays.stream(children)
            .filter(child -> !sentUp && !child.hasArrived())
            .map(VoteLink::peer)
            .toList();
    if (!silent.isEmpty()) {
      return "no vote from rank "
          + silent.get(0)
          + ": it, or a rank behind it, has not made this call"
          + NEXT;
    }
    return parent
        .map(
            link ->
                "no verdict from rank " + link.peer() + ": some rank has not made this call" + NEXT)
        .orElse("");
  }

  @Override
  public void close() {
    DoAll.of(
        () -> parent.ifPresent(VoteLink::close),
        () -> DoAll.each(Arrays.asList(children), VoteLink::close));
  }
}
