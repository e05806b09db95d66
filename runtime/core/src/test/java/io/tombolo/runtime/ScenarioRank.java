// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.consensus.Verdict;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A process of a {@link Scenario}: works until its communicator fails, says why, and goes on with
 * those that live. A line of its input has it take the next step.
 */
final class ScenarioRank {
  static final String PORT = "PORT ";
  static final String STARTED = "STARTED";
  static final String AT_WORK = "AT WORK";
  static final String TOLD = "TOLD ";
  static final String SHRINKS = "SHRINKS";
  static final String AGREED = "AGREED";
  static final String GOES_ON = "GOES ON ";
  static final String GIVES_UP = "GIVES UP ";
  static final String STORE = "STORE";

  /** Longer than a scenario may take. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final int WARM = 10;

  private final Communicator all;
  private final BufferedReader orders;
  private final Scenario.Moment moment;
  private volatile boolean told;

  private ScenarioRank(Communicator all, BufferedReader orders, Scenario.Moment moment) {
    this.all = all;
    this.orders = orders;
    this.moment = moment;
  }

  /** Hosts a store, or is a rank that works as the first argument says. */
  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals(STORE)) {
      host(JobToken.parse(System.getenv("TOMBOLO_TOKEN")));
      System.in.read();
    } else {
      be(Scenario.Moment.valueOf(arguments[0]));
    }
    Runtime.getRuntime().halt(0); // a library that cannot abort may keep a thread
  }

  private static int host(JobToken token) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    int port = TcpStoreServer.start(any, token).address().getPort();
    say(PORT + port);
    return port;
  }

  private static void be(Scenario.Moment moment) throws IOException {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    JobEnvironment environment = JobEnvironment.from(System.getenv());
    if (environment.storeKind() == StoreKind.RANK0 && environment.rank() == 0) {
      Map<String, String> hosting = new HashMap<>(System.getenv());
      hosting.put("MASTER_PORT", Integer.toString(host(environment.token())));
      environment = JobEnvironment.from(hosting);
    }
    if (moment == Scenario.Moment.BEFORE_JOIN) {
      say(STARTED);
      orders.readLine();
    }
    try (Communicator all = Communicator.join(environment)) {
      new ScenarioRank(all, orders, moment).live();
    } catch (TomboloException e) { // in the join; later ones are met where they are
      say(TOLD + e.getMessage());
    }
  }

  private void live() {
    Thread listener =
        new Thread(
            () -> {
              awaitLine(orders);
              told = true;
            },
            "listener");
    listener.setDaemon(true);
    listener.start();
    try {
      work();
      say(GOES_ON + all.size());
      return;
    } catch (TomboloException e) {
      await(() -> all.failure().isPresent());
    }
    say(TOLD + all.failure().orElseThrow().getMessage());
    await(() -> told);
    say(SHRINKS);
    if (moment == Scenario.Moment.AGREED && all.rank() == Scenario.AGREEING) {
      agreeAndStay();
    }
    try (Communicator next = all.shrink(LONG)) {
      new EveryCall(next).run(13, 0);
      say(GOES_ON + next.size());
    } catch (TomboloException e) {
      say(GIVES_UP + e.getMessage());
    }
  }

  /** Is one of those that go on, and does not join them. */
  private void agreeAndStay() {
    Session session = all.session();
    Verdict unused = Shrink.agree(session, session.everyone().agreements().inquire(), LONG);
    say(AGREED);
    await(() -> false);
  }

  private static void awaitLine(BufferedReader orders) {
    try {
      orders.readLine();
    } catch (IOException e) {
      return; // the test has ended
    }
  }

  /** Until all have been told to stop; throws what it fails with. */
  private void work() {
    if (moment == Scenario.Moment.HALVES) {
      int half = 2 * all.rank() / all.size();
      try (Communicator part = all.split(half, all.rank()).orElseThrow()) {
        workIn(part);
      }
    } else {
      workIn(all);
    }
  }

  private void workIn(Communicator group) {
    for (int round = 0; ; round++) {
      boolean isDone = told;
      if (moment == Scenario.Moment.IDLE && round == WARM) {
        say(AT_WORK);
        await(() -> told || all.failure().isPresent());
        isDone = told;
      } else if (round == WARM) {
        say(AT_WORK);
      }
      if (finished(group, isDone)) {
        return;
      }
    }
  }

  private boolean finished(Communicator group, boolean isDone) {
    if (moment != Scenario.Moment.SPLIT) {
      return sum(group, isDone);
    }
    try (Communicator same = group.split(0, group.rank()).orElseThrow()) {
      return sum(same, isDone);
    }
  }

  /** Whether all ranks say that they are done. */
  private static boolean sum(Communicator communicator, boolean isDone) {
    try (DeviceVector vector = DeviceVector.of(communicator, isDone ? 1 : 0, 1)) {
      communicator.allReduce(vector.buffer(), Reduction.sum(), vector.stream()).await(LONG);
      float[] sums = vector.floats();
      if (sums[1] != communicator.size()) {
        throw new AssertionError("a wrong sum: " + sums[1]);
      }
      return sums[0] == communicator.size();
    }
  }

  private static void await(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(LONG);
    while (!condition.getAsBoolean()) {
      if (deadline.isExpired()) {
        throw new AssertionError("waited in vain");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
