// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.Test;

/** A run of real processes that is killed as a whole, and the next one on the same store. */
public class KilledRunTest {
  private static final Duration LONG = Duration.ofSeconds(100);
  private static final int RANKS = 2;

  private final JobToken token = JobToken.random();

  @Test(timeOut = 240_000)
  public void shouldJoinAndSumInNewProcessesWithoutAnotherGeneration() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (CloseStack opened = new CloseStack()) {
      int port = opened.opened(TcpStoreServer.start(any, token)).address().getPort();
      List<ScenarioProcess> first = start(opened, port);
      for (ScenarioProcess rank : first) {
        rank.signal("STOP"); // none of them is to tell of another's death
      }
      first.forEach(ScenarioProcess::close);
      List<ScenarioProcess> second = start(opened, port);
      for (ScenarioProcess rank : second) {
        rank.goOn();
      }
      for (ScenarioProcess rank : second) {
        Object unused = rank.await(ScenarioRank.GOES_ON + RANKS, Deadline.after(LONG));
      }
    }
  }

  /** Ranks that have joined and look at each sum that they make. */
  private List<ScenarioProcess> start(CloseStack opened, int port)
      throws IOException, InterruptedException {
    List<ScenarioProcess> run = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      String moment = Scenario.Moment.COLLECTIVE.name();
      run.add(opened.opened(new ScenarioProcess(moment, environment(rank, port).toVariables())));
    }
    for (ScenarioProcess rank : run) {
      Object unused = rank.await(ScenarioRank.AT_WORK, Deadline.after(LONG));
    }
    return run;
  }

  private JobEnvironment environment(int rank, int port) {
    return new JobEnvironment(
        rank,
        RANKS,
        rank,
        "127.0.0.1",
        port,
        StoreKind.TOMBOLO,
        token,
        "host",
        LONG,
        ImmutableSortedMap.of("device", "0"));
  }
}
