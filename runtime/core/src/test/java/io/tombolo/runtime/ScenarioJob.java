// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** The processes of one {@link Scenario}, none of which a launcher looks after. */
final class ScenarioJob implements AutoCloseable {
  /** Of waits of the ranks, and of this test for what is not measured: nobody reaches it. */
  private static final Duration LONG = Duration.ofMinutes(5);

  /** For who is to host the store, at any port that is free. */
  private static final int PORT_LEFT_OPEN = 1;

  private final Scenario scenario;
  private final Duration silence;
  private final Duration joinLimit;
  private final JobToken token = JobToken.random();
  private final CloseStack opened = new CloseStack();
  private final Map<Integer, ScenarioProcess> ranks = new TreeMap<>();
  private Optional<ScenarioProcess> storeProcess = Optional.empty();
  private InetSocketAddress storeAddress;
  private Optional<StoreLine> line = Optional.empty();

  /** A job in which nobody may be silent for {@code silence}. */
  ScenarioJob(Scenario scenario, Duration silence) {
    this.scenario = scenario;
    this.silence = silence;
    this.joinLimit =
        scenario.moment() == Scenario.Moment.BEFORE_JOIN
            ? silence.multipliedBy(2 * ScenarioOutcome.crowd())
            : LONG;
  }

  /** Brings all to where they are to be struck. */
  void begin() throws IOException, InterruptedException {
    openStore();
    for (int rank = 0; rank < scenario.size(); rank++) {
      if (rank != scenario.late() && !ranks.containsKey(rank)) {
        start(rank);
      }
    }
    if (scenario.moment() == Scenario.Moment.JOIN) {
      awaitClaims();
      return;
    }
    String ready =
        scenario.moment() == Scenario.Moment.BEFORE_JOIN
            ? ScenarioRank.STARTED
            : ScenarioRank.AT_WORK;
    for (ScenarioProcess rank : ranks.values()) {
      rank.await(ready, Deadline.after(LONG));
    }
    if (scenario.moment() == Scenario.Moment.SHRINK) {
      beginToShrink();
    } else if (scenario.moment() == Scenario.Moment.AGREED) {
      beginToShrink();
      victim().await(ScenarioRank.AGREED, Deadline.after(LONG));
    }
  }

  private void openStore() throws IOException, InterruptedException {
    switch (scenario.victim()) {
      case RANK_0_WITH_STORE -> {
        start(0);
        storeAddress = portOf(ranks.get(0));
      }
      case STORE_HOST -> {
        storeProcess =
            Optional.of(
                new ScenarioProcess(ScenarioRank.STORE, Map.of("TOMBOLO_TOKEN", token.hex())));
        opened.opened(storeProcess.get());
        storeAddress = portOf(storeProcess.get());
      }
      case RANK_0, MIDDLE, ALL ->
          storeAddress = opened.opened(TcpStoreServer.start(loopback(0), token)).address();
    }
  }

  private static InetSocketAddress portOf(ScenarioProcess host) throws InterruptedException {
    String line = host.await(ScenarioRank.PORT, Deadline.after(LONG)).text();
    return loopback(Integer.parseInt(line.substring(ScenarioRank.PORT.length())));
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void start(int rank) throws IOException {
    String vendor = scenario.over().of(rank);
    long ordinal =
        IntStream.range(0, rank).filter(r -> scenario.over().of(r).equals(vendor)).count();
    boolean rankHosts = scenario.victim() == Scenario.Victim.RANK_0_WITH_STORE;
    if (scenario.blow().spares() && scenario.strikes(rank)) {
      line = Optional.of(opened.opened(new StoreLine(storeAddress)));
    }
    JobEnvironment environment =
        new JobEnvironment(
            rank,
            scenario.size(),
            rank,
            "127.0.0.1",
            storePort(rank),
            rankHosts ? StoreKind.RANK0 : StoreKind.TOMBOLO,
            token,
            vendor,
            LONG,
            ImmutableSortedMap.of(
                "liveness_ms", Long.toString(silence.toMillis()),
                "join_timeout_ms", Long.toString(joinLimit.toMillis()),
                "device", Long.toString(ordinal)));
    Map<String, String> variables = new HashMap<>(environment.toVariables());
    variables.put("LOCAL_WORLD_SIZE", Integer.toString(scenario.size()));
    ScenarioProcess process = new ScenarioProcess(scenario.moment().name(), variables);
    ranks.put(rank, opened.opened(process));
  }

  /**
   * For who does not come: nobody knows more of it. Those that come have to get through as well.
   */
  Duration joinLimit() {
    return joinLimit;
  }

  private int storePort(int rank) {
    if (storeAddress == null) {
      return PORT_LEFT_OPEN;
    }
    return line.filter(own -> scenario.strikes(rank))
        .map(StoreLine::address)
        .orElse(storeAddress)
        .getPort();
  }

  /** All that have been started are in the round that comes together. */
  private void awaitClaims() {
    Deadline deadline = Deadline.after(LONG);
    try (Store store = TcpStore.connect(storeAddress, token, deadline)) {
      for (int rank : ranks.keySet()) {
        while (JobRound.claim(store, rank).isEmpty()) {
          if (deadline.isExpired()) {
            throw new AssertionError("rank " + rank + " has not come");
          }
          LockSupport.parkNanos(1_000_000);
        }
      }
    }
  }

  /** The last rank dies, and the others are told to go on without it. */
  private void beginToShrink() throws IOException, InterruptedException {
    int last = scenario.size() - 1;
    ranks.remove(last).close();
    for (ScenarioProcess rank : ranks.values()) {
      rank.await(ScenarioRank.TOLD, Deadline.after(LONG));
    }
    for (ScenarioProcess rank : ranks.values()) {
      rank.goOn();
    }
    for (ScenarioProcess rank : ranks.values()) {
      rank.await(ScenarioRank.SHRINKS, Deadline.after(LONG));
    }
  }

  /** Has happen what is to happen; then by {@link System#nanoTime}. */
  long strike() throws IOException, InterruptedException {
    long atNs = System.nanoTime();
    switch (scenario.blow()) {
      case KILL -> signal("KILL");
      case STOP, STOP_AND_CONTINUE -> signal("STOP");
      case CUT_OFF -> line.orElseThrow().silence();
      case HANG_UP -> line.orElseThrow().hangUp();
    }
    if (scenario.blow() == Scenario.Blow.STOP_AND_CONTINUE) {
      Thread.sleep(2 * silence.toMillis()); // fixed time: nobody does anything meanwhile
      signal("CONT");
    }
    if (scenario.late() < scenario.size() && storeProcess.isEmpty()) {
      start(scenario.late()); // without a store it would only wait for one
    }
    if (scenario.moment() == Scenario.Moment.BEFORE_JOIN) {
      letSurvivorsGoOn();
    }
    return atNs;
  }

  private void signal(String name) throws IOException, InterruptedException {
    for (ScenarioProcess victim : victims()) {
      victim.signal(name);
    }
  }

  private List<ScenarioProcess> victims() {
    return storeProcess
        .map(List::of)
        .orElseGet(
            () -> ranks.keySet().stream().filter(scenario::strikes).map(ranks::get).toList());
  }

  /** The victim; of many, the first. */
  ScenarioProcess victim() {
    return victims().get(0);
  }

  /** The ranks that should hear of it: those that it does not happen to, or that live on. */
  Map<Integer, ScenarioProcess> survivors() {
    Map<Integer, ScenarioProcess> survivors = new TreeMap<>(ranks);
    if (scenario.blow() != Scenario.Blow.STOP_AND_CONTINUE) {
      survivors.keySet().removeIf(scenario::strikes);
    }
    return survivors;
  }

  /** Ends the victims for good, and has the others go on; all of them, without those. */
  void goOn() throws IOException {
    if (scenario.blow() != Scenario.Blow.STOP_AND_CONTINUE) {
      victims().forEach(ScenarioProcess::close);
    }
    letSurvivorsGoOn();
  }

  private void letSurvivorsGoOn() throws IOException {
    for (ScenarioProcess survivor : survivors().values()) {
      survivor.goOn();
    }
  }

  @Override
  public void close() {
    opened.close();
  }
}
