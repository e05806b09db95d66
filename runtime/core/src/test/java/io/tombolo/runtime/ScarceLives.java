// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.base.Joiner;
import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The lives of one job after another, whose ranks are threads of this process. In each of them one
 * thing cannot be made on a device: the first that any rank makes, then a later one, until all that
 * a life needs has been refused once. A life then goes well all the same, or ends soon on all ranks
 * by errors that say what is missing; and it leaves no more behind than one that lacks nothing.
 */
final class ScarceLives {
  /** The setting that says of which vendor's devices things are refused. */
  static final String SCARCE = "scarce_vendor";

  /** The setting that says that a part of so many of a life's things is passed over at a time. */
  static final String PART = "scarce_part";

  private static final ImmutableList<String> VENDORS =
      ImmutableList.of("emu-nvidia", "emu-nvidia", "emu-amd");

  private static final Duration CALL = Duration.ofSeconds(20);
  private static final Duration LIFE = Duration.ofSeconds(90);
  private static final long LOOK_MS = 10;

  /** What says that something is missing, and what helps. */
  private static final String ADVICE = "free some";

  private final ImmutableSortedMap<String, String> settings;
  private final EmulatedThings things;
  private final long part;
  private final Queue<TomboloException> refusals = new ConcurrentLinkedQueue<>();

  /** Ranks whose communicator failed under their calls: what a library may still use stays. */
  private final AtomicInteger broken = new AtomicInteger();

  private ScarceLives(JobEnvironment environment, EmulatedThings things) {
    this.settings = environment.settings();
    this.things = things;
    this.part = environment.number(PART, 1);
  }

  /** Lives as the settings of {@code environment} say. */
  static void run(JobEnvironment environment) throws IOException, InterruptedException {
    Path folder = Path.of(environment.settings().get(EmulatedThings.SETTING));
    String vendor = environment.settings().get(SCARCE);
    try (EmulatedThings things = EmulatedThings.of(folder, vendor)) {
      new ScarceLives(environment, things).run();
    }
  }

  private void run() throws IOException, InterruptedException {
    List<Throwable> first = live(); // loads the libraries
    checkState(first.isEmpty(), "a life that lacks nothing: %s", first);
    Map<EmulatedThings.Kind, Long> before = living();
    List<Throwable> second = live();
    checkState(second.isEmpty(), "a life that lacks nothing: %s", second);
    Map<EmulatedThings.Kind, Long> usual = grownSince(before);
    System.out.println("what a life leaves behind that lacks nothing: " + usual);
    for (EmulatedThings.Kind kind : EmulatedThings.Kind.values()) {
      refuseEach(kind, usual);
    }
  }

  private void refuseEach(EmulatedThings.Kind kind, Map<EmulatedThings.Kind, Long> usual)
      throws IOException, InterruptedException {
    int lives = 0;
    int ended = 0;
    int kept = 0;
    boolean isOver = false;
    for (long nth = 1; !isOver; nth += 1 + nth / part) {
      Map<EmulatedThings.Kind, Long> before = living();
      things.fail(kind, nth);
      List<Throwable> errors = live();
      isOver = things.due(kind) > 0; // nobody makes so many
      things.fail(kind, 0);
      String what = "without number %s of the %s".formatted(nth, kind);
      errors.forEach(error -> checkSays(what, error));
      if (isOver) {
        checkState(errors.isEmpty(), "%s, which nobody makes: %s", what, errors);
      } else {
        checkAdvises(what, errors);
      }
      boolean mayKeep = broken.get() > 0;
      if (!mayKeep) {
        checkGrown("%s (%s)".formatted(what, errors), before, usual);
      }
      kept += mayKeep ? 1 : 0;
      lives++;
      ended += errors.isEmpty() ? 0 : 1;
    }
    System.out.printf(
        "%s: %s lives, of which %s ended early, %s of them in a library%n",
        kind, lives, ended, kept);
  }

  private static void checkSays(String what, Throwable error) {
    checkState(
        error instanceof TomboloException, "%s: %s", what, Throwables.getStackTraceAsString(error));
  }

  /** What nobody noticed needs no advice. */
  private void checkAdvises(String what, List<Throwable> errors) {
    List<Throwable> all = new ArrayList<>(errors);
    all.addAll(refusals);
    checkState(
        all.isEmpty() || all.stream().anyMatch(error -> error.getMessage().contains(ADVICE)),
        "%s nobody says what helps: %s",
        what,
        all);
  }

  /** Threads that nobody waits for may be about to free something. */
  private void checkGrown(
      String what, Map<EmulatedThings.Kind, Long> before, Map<EmulatedThings.Kind, Long> usual)
      throws IOException, InterruptedException {
    Deadline patience = Deadline.after(CALL);
    Map<EmulatedThings.Kind, Long> grown = grownSince(before);
    while (isMore(grown, usual) && !patience.isExpired()) {
      Thread.sleep(LOOK_MS);
      grown = grownSince(before);
    }
    checkState(
        !isMore(grown, usual), "%s there are more than before: %s, usually %s", what, grown, usual);
  }

  private static boolean isMore(
      Map<EmulatedThings.Kind, Long> grown, Map<EmulatedThings.Kind, Long> usual) {
    return grown.entrySet().stream().anyMatch(each -> each.getValue() > usual.get(each.getKey()));
  }

  private Map<EmulatedThings.Kind, Long> living() throws IOException {
    Map<EmulatedThings.Kind, Long> living = new EnumMap<>(EmulatedThings.Kind.class);
    for (EmulatedThings.Kind kind : EmulatedThings.Kind.values()) {
      living.put(kind, things.living(kind));
    }
    return living;
  }

  private Map<EmulatedThings.Kind, Long> grownSince(Map<EmulatedThings.Kind, Long> before)
      throws IOException {
    Map<EmulatedThings.Kind, Long> grown = living();
    grown.replaceAll((kind, now) -> now - before.get(kind));
    return grown;
  }

  /** What ended ranks early, of those that it has. */
  private List<Throwable> live() throws InterruptedException {
    refusals.clear();
    broken.set(0);
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    List<Throwable> errors = new ArrayList<>();
    try (TcpStoreServer server = TcpStoreServer.start(anyPort, token)) {
      List<CompletableFuture<Boolean>> ranks = new ArrayList<>();
      for (int rank = 0; rank < VENDORS.size(); rank++) {
        JobEnvironment environment = environment(rank, server.address().getPort(), token);
        ranks.add(ThreadRanks.later(() -> live(environment)));
      }
      for (CompletableFuture<Boolean> rank : ranks) {
        end(rank, errors);
      }
    }
    return errors;
  }

  private static void end(CompletableFuture<Boolean> rank, List<Throwable> errors)
      throws InterruptedException {
    try {
      rank.get(LIFE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      errors.add(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a rank does not end: " + whereThreadsAre(), e);
    }
  }

  private static String whereThreadsAre() {
    StringBuilder where = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) ->
                where
                    .append("\n")
                    .append(thread.getName())
                    .append(":\n  ")
                    .append(Joiner.on("\n  ").join(stack)));
    return where.toString();
  }

  private JobEnvironment environment(int rank, int port, JobToken token) {
    return new JobEnvironment(
        rank,
        VENDORS.size(),
        rank,
        "127.0.0.1",
        port,
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        VENDORS.get(rank),
        CALL,
        settingsOf(rank));
  }

  /**
   * Each rank has a device to itself, not this process's: on one of them a rank's allocation would
   * wait for the stream that is held for another, and a stream for one in its hardware queue.
   */
  private ImmutableSortedMap<String, String> settingsOf(int rank) {
    Map<String, String> own = new TreeMap<>(settings);
    own.put(JobEnvironment.DEVICE, Integer.toString(rank));
    return ImmutableSortedMap.copyOf(own);
  }

  private boolean live(JobEnvironment environment) {
    try (Communicator communicator = Communicator.join(environment)) {
      call(communicator);
    }
    return true;
  }

  private void call(Communicator communicator) {
    ScarceCalls calls = new ScarceCalls(communicator, refusals::add);
    try {
      calls.sum(1);
      calls.pass();
      calls.sum(1 << 18); // for which there has to be more memory
      calls.split();
      calls.sum(1);
    } catch (TomboloException e) {
      broken.incrementAndGet();
      throw e;
    }
  }
}
