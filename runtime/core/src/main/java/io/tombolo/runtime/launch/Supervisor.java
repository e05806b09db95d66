// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.ccl.NamedSegments;
import io.tombolo.base.Deadline;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.bootstrap.Attendance;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.StoreHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Looks after the processes of one job: passes on what they say, tells the others when one dies,
 * and leaves none behind, however this process ends.
 *
 * <p>One thread starts, waits and closes; what the others notice reaches it through a queue.
 */
final class Supervisor implements AutoCloseable {
  private static final Duration REAP = Duration.ofSeconds(5);

  /** How often it looks who is still joining. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  /** How long other hosts have to end their ranks before this one goes on without them. */
  private static final Duration PARTING = Duration.ofSeconds(2);

  private static final long SECOND_NS = 1_000_000_000;

  private final JobSpec job;
  private final RankEvents events;
  private final Store store;
  private final FailureWatch watch;
  private final List<RankProcess> ranks = new CopyOnWriteArrayList<>();
  private final Map<Integer, Map<String, String>> variables = new TreeMap<>();
  private final BlockingQueue<Runnable> noticed = new LinkedBlockingQueue<>();
  private final StandStill standStill = new StandStill();
  private final Duration patience;
  private final Thread atExit = new Thread(this::killAll, "tombolo-kill-ranks");
  private final Deadline started = Deadline.after(LOOK);
  private int running;
  private boolean ending;
  private Optional<String> killed = Optional.empty();
  private Optional<Deadline> grace = Optional.empty();

  /**
   * A supervisor without ranks yet.
   *
   * @param store where failures are reported
   * @param watched another connection to it, closed with this supervisor
   */
  Supervisor(JobSpec job, RankEvents events, Store store, Store watched) {
    this.job = job;
    this.events = events;
    this.store = store;
    this.patience = patience(job);
    this.watch =
        FailureWatch.start(watched, StoreHost.here(), failure -> noticed.add(this::beginGrace));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Ranks that are all stopped are found as soon as they would find each other. */
  private static Duration patience(JobSpec job) {
    Map<String, String> settings = new TreeMap<>(JobEnvironment.settingsOf(System.getenv()));
    settings.putAll(job.settings());
    Duration liveness = JobEnvironment.livenessOf(settings);
    return liveness.isZero() || liveness.compareTo(job.timeout()) > 0 ? job.timeout() : liveness;
  }

  void start(int rank, Map<String, String> itsVariables) {
    variables.put(rank, itsVariables);
    start(rank, job);
  }

  private void start(int rank, JobSpec its) {
    try {
      RankProcess process =
          new RankProcess(
              rank,
              its,
              variables.get(rank),
              line -> pass(listener -> onLine(listener, rank, line)),
              line -> pass(listener -> listener.onOutput(rank, line)));
      ranks.add(process);
      running++;
      pass(listener -> listener.onStart(rank, process.vendor(), process.pid()));
      process.onEnd(() -> noticed.add(() -> buried(process)));
    } catch (IOException e) {
      String what = "cannot start the process of rank " + rank;
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft(what, e);
      }
      throw new UnavailableException(what + ": " + e.getMessage(), e);
    }
  }

  /** Waits for the last process; only an interruption of this thread ends the wait early. */
  JobResult awaitEnd() {
    Deadline quiet = Deadline.after(patience);
    Deadline look = Deadline.after(LOOK);
    while (running > 0) {
      Runnable notice = next(grace.orElse(earlier(quiet, look)).remainingNs());
      if (notice != null) {
        notice.run();
        quiet = Deadline.after(patience);
      } else if (grace.isPresent()) {
        endForcibly();
      } else if (quiet.isExpired()) {
        endStandStill();
        quiet = Deadline.after(patience);
      }
      if (look.isExpired()) {
        look = Deadline.after(LOOK);
        tellWhoJoins();
      }
    }
    Map<Integer, ExitStatus> statuses = new TreeMap<>();
    ranks.forEach(process -> statuses.put(process.rank(), process.status())); // the last one's
    return new JobResult(ImmutableList.copyOf(statuses.values()), failure());
  }

  private static Deadline earlier(Deadline one, Deadline other) {
    return one.remainingNs() < other.remainingNs() ? one : other;
  }

  /** Joining may take minutes where vendors' drivers are cold: that is to be seen. */
  private void tellWhoJoins() {
    if (grace.isEmpty()) {
      Attendance.of(store, job.vendors().size())
          .waiting()
          .map(text -> text + ", %s s after the start".formatted(started.elapsedNs() / SECOND_NS))
          .ifPresent(text -> pass(listener -> listener.onWaiting(text)));
    }
  }

  /** A killed rank is named first, even if its peers were quicker to report that it is gone. */
  private Optional<String> failure() {
    Optional<String> reported = FailureWatch.first(store);
    if (killed.isEmpty() || killed.equals(reported)) {
      return reported;
    }
    return reported.map(text -> killed.get() + "; reported before: " + text).or(() -> killed);
  }

  @Override
  public void close() {
    watch.close();
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      return; // this JVM is shutting down, and the hook runs
    }
  }

  private Runnable next(long waitNs) {
    try {
      return noticed.poll(Math.max(0, waitNs), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while the job ran; its ranks are killed", e);
    }
  }

  private void buried(RankProcess process) {
    running--;
    if (process.isHere()) {
      NamedSegments.forget(process.pid());
    }
    ExitStatus status = process.status();
    if (!status.isSuccess()) {
      String text = process.obituary();
      if (status.isSignal() && killed.isEmpty() && !ending) {
        killed = Optional.of(text);
      }
      report(text);
      beginGrace();
    }
    pass(listener -> listener.onEnd(process.rank(), status));
    if (job.replacements().isPresent() && !ending) {
      replaceOrGiveUp(process.rank(), status);
    }
  }

  /** A rank that ends by itself because others died cannot go on: nobody is to wait for it. */
  private void replaceOrGiveUp(int rank, ExitStatus status) {
    if (status.isSignal()) {
      start(rank, job.ofReplacement());
    } else if (!status.isSuccess()) {
      grace = Optional.of(Deadline.after(JobSpec.DEFAULT_GRACE));
    }
  }

  /** Ranks that are all stopped can neither end nor report. */
  private void endStandStill() {
    Map<Integer, Boolean> stopped = new TreeMap<>();
    ranks.stream()
        .filter(RankProcess::isAlive)
        .forEach(rank -> stopped.put(rank.rank(), isStopped(rank)));
    ImmutableSet<Integer> all = standStill.look(stopped);
    if (!all.isEmpty()) {
      report(
          "all ranks that live are stopped by a signal (SIGSTOP, Ctrl-Z), for %s ms at least, and nobody can go on: %s"
              .formatted(
                  patience.toMillis(),
                  all.stream().map(rank -> "rank " + rank).collect(Collectors.joining(", "))));
      endForcibly();
    }
  }

  /** Tells this process and the ranks, which may have joined again since the job began. */
  private void report(String text) {
    FailureWatch.report(store, text);
    FailureWatch.report(JobRound.current(store).in(store), text);
  }

  private static boolean isStopped(RankProcess rank) {
    return ProcessStat.of(rank.pid()).map(ProcessStat::isStopped).orElse(false);
  }

  private void endForcibly() {
    if (ending) {
      String alive =
          ranks.stream()
              .filter(RankProcess::isAlive)
              .map(rank -> "rank %s (%s)".formatted(rank.rank(), rank.place()))
              .collect(Collectors.joining(", "));
      throw new ResourceException(
          "still alive "
              + REAP.toMillis()
              + " ms after SIGKILL: "
              + alive
              + "; is a device stuck?");
    }
    ending = true;
    grace = Optional.of(Deadline.after(REAP));
    killAll();
  }

  private void beginGrace() {
    if (grace.isEmpty()) {
      grace = Optional.of(Deadline.after(job.grace()));
    }
  }

  private void killAll() {
    ranks.stream().filter(RankProcess::isAlive).forEach(RankProcess::kill);
    Deadline parting = Deadline.after(PARTING);
    ranks.stream().filter(rank -> !rank.isHere()).forEach(rank -> rank.abandon(parting));
  }

  private static void onLine(RankEvents listener, int rank, String line) {
    if (line.startsWith(RankEvents.LINE_PREFIX)) {
      listener.onEvent(rank, line.substring(RankEvents.LINE_PREFIX.length()));
    } else {
      listener.onOutput(rank, line);
    }
  }

  /**
   * One call at a time; what a listener throws ends the job and reaches the caller of the launcher.
   */
  private void pass(Consumer<RankEvents> call) {
    synchronized (events) {
      try {
        call.accept(events);
      } catch (RuntimeException e) {
        noticed.add(
            () -> {
              throw e;
            });
      }
    }
  }
}
