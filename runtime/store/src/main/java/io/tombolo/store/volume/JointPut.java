// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.base.Stopwatch;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.joint.BoxTask;
import io.tombolo.store.joint.JointPlan;
import io.tombolo.store.joint.WriterShare;
import io.tombolo.store.memory.PartChecksum;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.wire.Allotment;
import io.tombolo.store.wire.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A version that several clients write together. Its writers come, then there is room for whole
 * tensors, then each writes its boxes; once the last has finished it is visible. Before that it
 * fails by whatever any writer does wrong, and stays failed.
 *
 * <p>Its memory is given back when no writer is left that may still write to it. Thread-safe.
 */
final class JointPut {
  /** How late a writer may be to be told of a failure. */
  private static final Duration LONGEST_MEMORY = Duration.ofMinutes(10);

  private final Catalog catalog;
  private final String stateDict;
  private final String round;
  private final int writers;
  private final Stopwatch age = Stopwatch.createStarted();
  private final Map<Integer, WriterShare> shares = new TreeMap<>();
  private final Set<Integer> finished = new TreeSet<>();
  private Optional<JointPlan> plan = Optional.empty();
  private Optional<PendingPut> rooms = Optional.empty();
  private Optional<Reply.Refused> failure = Optional.empty();
  private Deadline remembered = Deadline.after(Duration.ZERO);
  private int[] sums = {};
  private long patienceMs;
  private long version;
  private int present;
  private boolean planning;

  JointPut(Catalog catalog, String stateDict, String round, int writers) {
    this.catalog = catalog;
    this.stateDict = stateDict;
    this.round = round;
    this.writers = writers;
  }

  /**
   * A writer comes, whether or not it is too late, and {@link #leave} must follow. It may be the
   * last, so {@link #start} comes next.
   *
   * @return false if the version is visible already: then the writer is one of another
   */
  synchronized boolean join(WriterShare share, long itsPatienceMs) {
    if (version > 0) {
      return false;
    }
    present++;
    if (failure.isEmpty()) {
      add(share, itsPatienceMs);
    }
    return true;
  }

  private void add(WriterShare share, long itsPatienceMs) {
    patienceMs = Math.max(patienceMs, itsPatienceMs);
    WriterShare before = shares.putIfAbsent(share.writer(), share);
    if (before != null) {
      fail(
          Reply.Reason.MISMATCH,
          "%s and %s are two with one number".formatted(before.title(), share.title()));
    } else if (share.writers() != writers) {
      fail(
          Reply.Reason.MISMATCH,
          "%s and %s do not agree how many writers there are"
              .formatted(anotherThan(share).title(), share.title()));
    }
  }

  /**
   * Plans who writes what, once all writers have come. Waits for room as long as they do, but at
   * most so long.
   */
  void start(Duration roomPatience) {
    List<WriterShare> all = everybody();
    if (!all.isEmpty()) {
      try {
        allot(JointPlan.of(all), Deadline.after(roomPatience(roomPatience)));
      } catch (MismatchException e) {
        fail(Reply.Reason.MISMATCH, e.getMessage());
      }
    }
  }

  /**
   * What is next for {@code writer}: see {@link io.tombolo.store.wire.VolumeRequest.AwaitJoint}.
   */
  synchronized Reply await(int writer, Deadline deadline) throws InterruptedException {
    while (true) {
      Optional<Reply> outcome = outcome();
      if (outcome.isPresent()) {
        return outcome.get();
      }
      if (plan.isPresent() && !finished.contains(writer)) {
        return new Reply.Allotted(allotments(writer));
      }
      if (deadline.isExpired()) {
        return new Reply.Awaiting(missing());
      }
      wait(deadline.waitMs());
    }
  }

  /** Where and what {@code writer} is to write, whatever has become of the version. */
  synchronized Optional<JointTask> task(int writer) {
    return plan.map(
        found -> new JointTask(rooms.orElseThrow().tensors(), found.tasks().get(writer)));
  }

  /** All that {@code writer} was to write is there, and adds these to the tensors' checksums. */
  void finish(int writer, List<Integer> itsSums) {
    try (Discarded discarded = catalog.discarding()) {
      finish(writer, itsSums, discarded);
    }
  }

  private synchronized void finish(int writer, List<Integer> itsSums, Discarded discarded) {
    if (outcome().isPresent() || !finished.add(writer)) {
      return;
    }
    List<BoxTask> tasks = plan.orElseThrow().tasks().get(writer);
    for (int part = 0; part < tasks.size(); part++) {
      sums[tasks.get(part).tensor()] ^= itsSums.get(part);
    }
    if (finished.size() == writers) {
      PendingPut put = rooms.orElseThrow();
      version = catalog.commit(put, checksums(put), discarded);
      forget();
    }
    notifyAll();
  }

  /** The version fails unless it is visible already. What comes of it. */
  synchronized Reply giveUp(Reply.Reason reason, String message) {
    fail(reason, message);
    return outcome().orElseThrow();
  }

  /**
   * A writer of {@link #join} has gone, and touches no memory any more. Before it has finished, the
   * version fails.
   */
  synchronized void leave(WriterShare share) {
    present--;
    if (!finished.contains(share.writer())) {
      fail(Reply.Reason.PEER, share.title() + " went away before it had finished");
    }
    if (present == 0 && failure.isPresent()) {
      rooms.ifPresent(catalog::abort);
      forget();
    }
  }

  /** Whether a new version may take its name: it is visible, or has failed long ago. */
  synchronized boolean isOver() {
    return version > 0 || (failure.isPresent() && remembered.isExpired());
  }

  /** Parts that it keeps in mind. */
  synchronized long parts() {
    return shares.values().stream().mapToLong(share -> share.parts().size()).sum();
  }

  /** As a listing shows it; empty if its outcome is known. */
  synchronized Optional<JointListing> listing() {
    return outcome().isPresent()
        ? Optional.empty()
        : Optional.of(
            new JointListing(
                stateDict,
                round,
                writers,
                plan.isPresent(),
                missing(),
                age.elapsed(TimeUnit.MILLISECONDS)));
  }

  private WriterShare anotherThan(WriterShare share) {
    return shares.values().stream()
        .filter(each -> each.writers() != share.writers())
        .findFirst()
        .orElseThrow();
  }

  /** All writers, if they have come and have agreed so far; once: each that comes asks for it. */
  private synchronized List<WriterShare> everybody() {
    if (planning || shares.size() < writers || outcome().isPresent()) {
      return List.of();
    }
    planning = true;
    return List.copyOf(shares.values());
  }

  private synchronized Duration roomPatience(Duration most) {
    return Duration.ofMillis(Math.min(patienceMs, most.toMillis()));
  }

  /** Without the monitor: to get room may take until a device has let go of what was there. */
  private void allot(JointPlan found, Deadline deadline) {
    try {
      allot(found, catalog.begin(stateDict, found.tensors(), deadline));
    } catch (ResourceException e) {
      fail(Reply.Reason.ROOM, e.getMessage());
    } catch (UsageException e) {
      fail(Reply.Reason.USAGE, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(Reply.Reason.PEER, "the volume ends");
    }
  }

  private synchronized void allot(JointPlan found, PendingPut room) {
    if (outcome().isPresent()) {
      catalog.abort(room);
      return;
    }
    rooms = Optional.of(room);
    plan = Optional.of(found);
    sums = new int[found.tensors().size()];
    notifyAll();
  }

  private ImmutableList<Allotment> allotments(int writer) {
    List<Allotment> all = new ArrayList<>();
    for (BoxTask task : plan.orElseThrow().tasks().get(writer)) {
      long offset = rooms.orElseThrow().tensors().get(task.tensor()).offset();
      all.add(new Allotment(offset, task.boxes()));
    }
    return ImmutableList.copyOf(all);
  }

  private List<Integer> checksums(PendingPut put) {
    return IntStream.range(0, sums.length)
        .mapToObj(tensor -> PartChecksum.whole(put.tensors().get(tensor).sizeBytes(), sums[tensor]))
        .toList();
  }

  private ImmutableList<Integer> missing() {
    Set<Integer> there = plan.isPresent() ? finished : shares.keySet();
    return IntStream.range(0, writers)
        .filter(writer -> !there.contains(writer))
        .boxed()
        .collect(ImmutableList.toImmutableList());
  }

  private Optional<Reply> outcome() {
    return version > 0 ? Optional.of(new Reply.Committed(version)) : failure.map(Reply.class::cast);
  }

  private synchronized void fail(Reply.Reason reason, String message) {
    if (outcome().isEmpty()) {
      failure =
          Optional.of(
              new Reply.Refused(
                  reason,
                  ("round '%s' of state dict '%s' has failed, and nobody will see it: %s; all"
                          + " writers put it again, as another round")
                      .formatted(round, stateDict, message)));
      Duration kept = Duration.ofMillis(patienceMs);
      remembered = Deadline.after(kept.compareTo(LONGEST_MEMORY) < 0 ? kept : LONGEST_MEMORY);
      notifyAll();
    }
  }

  private void forget() {
    plan = Optional.empty();
    rooms = Optional.empty();
    shares.clear();
  }
}
