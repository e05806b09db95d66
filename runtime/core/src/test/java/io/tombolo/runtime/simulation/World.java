// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Processes, their threads and their clock, of which a seed decides everything. One thread runs at
 * a time, and leaves its turn where it waits and, now and then, where it touches what others touch.
 * Time passes with steps, and leaps when all wait.
 */
public final class World {
  private static final long BEGIN_NS = 1_000_000_000_000L;
  private static final long STEP_NS = 700;
  private static final long READ_NS = 50;

  /** Most looks in a row of a thread that spins. */
  private static final int MAX_SPINS = 16;

  /** Sleepers that nothing has woken for long oversleep: else polling fills the whole run. */
  private static final long MAX_SLACK_NS = 4_000_000;

  /** Something that happens by itself. */
  private record Event(long at, long number, Runnable action) {
    private static final Comparator<Event> ORDER =
        Comparator.comparingLong(Event::at).thenComparingLong(Event::number);
  }

  private final Random random;
  private final int switchOneIn;
  private final Trace trace;
  private final List<SimThread> threads = new ArrayList<>();
  private final List<SimThread> runnable = new ArrayList<>();
  private final List<AutoCloseable> memory = new ArrayList<>();
  private final List<Throwable> uncaught = new ArrayList<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>(Event.ORDER);

  /** What happens at a step, not at a time. */
  private final PriorityQueue<Event> stepwise = new PriorityQueue<>(Event.ORDER);

  private final Monitors monitors = new Monitors(this);
  private final Network network = new Network(this);
  private final Runnable onHang;
  private final List<SimProcess> processes = new ArrayList<>();
  private final int processors;
  private final int socketBytes;
  private long nowNs = BEGIN_NS;
  private long slackNs;
  private long eventNumber;
  private int threadNumber;
  private final Map<String, Integer> hashes = new HashMap<>();
  private int unbroken;

  World(long seed, Trace trace, Runnable onHang) {
    this.random = new Random(seed);
    this.switchOneIn = 1 << (2 + random.nextInt(6));
    this.processors = random.nextBoolean() ? 1 : 16;
    this.socketBytes = 1 << (9 + random.nextInt(8));
    this.trace = trace;
    this.onHang = onHang;
  }

  /** A new process, on a host of its own. */
  public SimProcess newProcess(String name) {
    SimProcess process = new SimProcess(processes.size(), name);
    processes.add(process);
    return process;
  }

  Optional<SimProcess> processAt(InetAddress address) {
    return processes.stream().filter(each -> each.address().equals(address)).findFirst();
  }

  /** How many processors each host has. */
  int processors() {
    return processors;
  }

  /** How much a connection takes that nobody reads. */
  int socketBytes() {
    return socketBytes;
  }

  /** Starts {@code task} as a thread of {@code process}. */
  public void start(SimProcess process, String name, Runnable task) {
    new SimThread(this, process, task, name).start();
  }

  /** Waits, on a thread of this world, until {@code ready} or {@code limitNs} are over. */
  public boolean awaitCondition(BooleanSupplier ready, long limitNs) {
    return await("condition", ready, limitNs == Long.MAX_VALUE ? limitNs : nowNs + limitNs);
  }

  int newThreadNumber() {
    return threadNumber++;
  }

  void add(SimThread thread) {
    threads.add(thread);
  }

  /** What decides everything. */
  public Random random() {
    return random;
  }

  Monitors monitors() {
    return monitors;
  }

  Network network() {
    return network;
  }

  List<SimThread> threads() {
    return threads;
  }

  List<AutoCloseable> memory() {
    return memory;
  }

  List<Throwable> uncaught() {
    return uncaught;
  }

  /** {@code action} happens so many steps from now. */
  public void afterSteps(long count, Runnable action) {
    stepwise.add(new Event(steps() + count, eventNumber++, action));
  }

  /** In nanoseconds since some moment. */
  public long nowNs() {
    return nowNs;
  }

  /** How many steps there have been. */
  public long steps() {
    return trace.steps();
  }

  /** As {@link #nowNs}, for a thread that looks at its clock. */
  long readClock() {
    requireLife();
    nowNs += READ_NS;
    return nowNs;
  }

  /** Told apart class by class, so that it does not matter what else has been hashed before. */
  int newHash(Object object) {
    String type = object.getClass().getName();
    return type.hashCode() + hashes.merge(type, 1, Integer::sum) * 0x9E3779B1;
  }

  /** {@code action} happens {@code delayNs} from now. */
  void after(long delayNs, Runnable action) {
    events.add(new Event(nowNs + delayNs, eventNumber++, action));
  }

  /** Something has happened that may concern those who sleep. */
  void stir() {
    slackNs = 0;
  }

  /** Here the calling thread may lose its turn. */
  void point() {
    requireLife();
    if (unbroken == 0 && random.nextInt(switchOneIn) == 0) {
      await("point", () -> true, nowNs);
    }
  }

  /** A thread that is left when the world ends does nothing any more. */
  private static void requireLife() {
    if (SimThread.here().doomed) {
      throw new SimThread.Doomed();
    }
  }

  /**
   * Of a thread that looks again and again: others get a turn before some of these looks only, or
   * looking fills most of the run.
   */
  void spin() {
    requireLife();
    SimThread mine = SimThread.here();
    if (mine.spins-- > 0) {
      nowNs += STEP_NS;
    } else {
      mine.spins = random.nextInt(MAX_SPINS);
      await("spin", () -> true, nowNs);
    }
  }

  /** Nobody else gets a turn in what is done until {@link #endUnbroken}. */
  void beginUnbroken() {
    unbroken++;
  }

  void endUnbroken() {
    unbroken--;
  }

  /** Waits until {@code ready}, or {@code untilNs}; whether it is ready. */
  boolean await(String why, BooleanSupplier ready, long untilNs) {
    requireLife();
    SimThread mine = SimThread.here();
    mine.ready = ready;
    mine.untilNs = untilNs;
    Optional<SimThread> next = choose(why);
    if (next.isEmpty() || next.get() != mine) {
      next.ifPresent(SimThread::giveTurn);
      mine.awaitTurn();
    }
    requireLife();
    mine.ready = null;
    return ready.getAsBoolean();
  }

  void onUncaught(SimThread thread, Throwable error) {
    uncaught.add(new AssertionError(thread + " ended by an error", error));
  }

  void onEnd(SimThread thread) {
    threads.remove(thread);
    stir();
    choose("end").ifPresent(SimThread::giveTurn);
  }

  /** Who runs next; nobody if nobody ever can, which ends the world. */
  private Optional<SimThread> choose(String why) {
    while (true) {
      runEvents();
      runnable.clear();
      long firstNs = events.isEmpty() ? Long.MAX_VALUE : events.peek().at();
      for (SimThread each : threads) {
        if (each.process.runs()) {
          if (each.ready == null || each.untilNs <= nowNs || each.ready.getAsBoolean()) {
            runnable.add(each);
          } else {
            firstNs = Math.min(firstNs, each.untilNs);
          }
        }
      }
      if (!runnable.isEmpty()) {
        SimThread next =
            runnable.size() == 1 ? runnable.get(0) : runnable.get(random.nextInt(runnable.size()));
        nowNs += STEP_NS;
        trace.add(nowNs, next, why);
        return Optional.of(next);
      }
      if (firstNs == Long.MAX_VALUE) {
        onHang.run();
        return Optional.empty();
      }
      nowNs = Math.max(nowNs, firstNs + slackNs);
      slackNs = Math.min(MAX_SLACK_NS, slackNs * 2 + 1000);
    }
  }

  private void runEvents() {
    run(events, nowNs);
    run(stepwise, steps());
  }

  private void run(PriorityQueue<Event> queue, long now) {
    while (!queue.isEmpty() && queue.peek().at() <= now) {
      stir();
      queue.remove().action().run();
    }
  }

  /** Ends {@code process} as by a signal: its sockets close, and nothing of it runs any more. */
  public void kill(SimProcess process) {
    process.state = SimProcess.State.KILLED;
    network.closeAllOf(process);
  }

  /** Nothing of {@code process} runs any more, but what it has sent arrives. */
  public void stop(SimProcess process) {
    process.state = SimProcess.State.STOPPED;
  }

  /** Nothing reaches {@code process} any more, nor comes from it. */
  public void cut(SimProcess process) {
    process.state = SimProcess.State.CUT;
    network.onCut();
  }

  /** Nothing that these two send each other arrives any more; all else does. */
  public void cut(SimProcess one, SimProcess other) {
    one.cutFrom(other);
    network.onCut();
  }

  /** Packets to and from {@code process} take so many times longer. */
  public void slow(SimProcess process, int times) {
    process.slowness = times;
  }
}
