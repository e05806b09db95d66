// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.runtime.store.MemoryStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Connections of jobs that were started apart; their ranks are threads. */
public class ConnectTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final long LIMIT_MS = 120_000;

  private final JobToken token = JobToken.random();
  private final StillPort ports = new StillPort();
  private InetSocketAddress address;

  @BeforeMethod
  public void chooseAddress() {
    address = ports.find();
  }

  private CompletableFuture<List<Intercommunicator>> accepting(List<Communicator> ranks) {
    return ThreadRanks.later(
        () -> ThreadRanks.onAll(ranks, each -> each.accept(address, token, ThreadRanks.LONG)));
  }

  private CompletableFuture<List<Intercommunicator>> connecting(List<Communicator> ranks) {
    return ThreadRanks.later(
        () -> ThreadRanks.onAll(ranks, each -> each.connect(address, token, ThreadRanks.LONG)));
  }

  private static void exchange(List<Intercommunicator> accepted, List<Intercommunicator> other) {
    CompletableFuture<?> messages = onSide(accepted, link -> run(link, true));
    onSide(other, link -> run(link, false)).join();
    messages.join();
  }

  private static boolean run(Intercommunicator link, boolean accepts) {
    new PairedMessages(link, accepts).run();
    return true;
  }

  private static <T> CompletableFuture<List<T>> onSide(
      List<Intercommunicator> side, Function<Intercommunicator, T> task) {
    return ThreadRanks.later(() -> ThreadRanks.onAll(side, task));
  }

  private static boolean close(Intercommunicator link) {
    link.close();
    return true;
  }

  private static void closeBoth(List<Intercommunicator> accepted, List<Intercommunicator> other) {
    CompletableFuture<?> closing = onSide(accepted, ConnectTest::close);
    onSide(other, ConnectTest::close).join();
    closing.join();
  }

  private static TomboloException failureOf(Intercommunicator link) {
    try (Stream stream = link.device().newStream();
        DeviceArray array = new DeviceArray(link.device(), stream, Float.BYTES)) {
      return expectThrows(
          TomboloException.class,
          () -> link.receive(array.buffer(DataType.F32, 1), 0, stream).await(ThreadRanks.LONG));
    }
  }

  /** Either comes first, and they come again at the same address, in other roles. */
  @Test(timeOut = LIMIT_MS)
  public void shouldExchangeMessagesBetweenAllRanksOfTwoJobsAsOftenAsTheyMeet() {
    try (ThreadRanks one = new ThreadRanks(2);
        ThreadRanks other = new ThreadRanks(3)) {
      for (int time = 0; time < 3; time++) {
        List<Communicator> first = time == 1 ? other.all() : one.all();
        List<Communicator> second = time == 1 ? one.all() : other.all();
        CompletableFuture<List<Intercommunicator>> accepted = accepting(first);
        List<Intercommunicator> connected = connecting(second).join();
        for (int rank = 0; rank < second.size(); rank++) {
          Intercommunicator link = connected.get(rank);
          assertEquals(link.rank(), rank);
          assertEquals(link.size(), second.size());
          assertEquals(link.remoteSize(), first.size());
          assertEquals(link.remoteVendors().get(0), "host");
          assertEquals(link.routes().size(), first.size());
          assertTrue(link.routes().get(0).startsWith("shm"), link.routes().toString());
        }
        exchange(accepted.join(), connected);
        ThreadRanks.assertUsable(one.all());
        ThreadRanks.assertUsable(other.all());
        closeBoth(accepted.join(), connected);
      }
    }
  }

  @DataProvider
  public Object[][] nics() {
    return new Object[][] {{"rc"}, {"uc"}, {"ud"}};
  }

  /** What a connection has of a NIC ends with it. */
  @Test(timeOut = LIMIT_MS, dataProvider = "nics")
  public void shouldMeetOverNicsAndLeaveNothingThere(String fabric) {
    ImmutableSortedMap<String, String> overNics =
        ImmutableSortedMap.of("fabrics", fabric, "ibverbs", EmulatedHca.library());
    try (ThreadRanks one = new ThreadRanks(2, overNics);
        ThreadRanks other = new ThreadRanks(2, overNics)) {
      long afterFirst = 0; // what a rank makes once for all is there then
      for (int time = 0; time < 3; time++) {
        List<Communicator> first = time == 1 ? other.all() : one.all();
        List<Communicator> second = time == 1 ? one.all() : other.all();
        CompletableFuture<List<Intercommunicator>> accepted = accepting(first);
        List<Intercommunicator> connected = connecting(second).join();
        for (Intercommunicator link : connected) {
          assertTrue(
              link.routes().values().stream().allMatch(each -> each.startsWith(fabric + " (")),
              link.routes().toString());
        }
        exchange(accepted.join(), connected);
        closeBoth(accepted.join(), connected);
        if (time == 0) {
          afterFirst = EmulatedHca.living();
        }
      }
      Deadline deadline = Deadline.after(ThreadRanks.LONG);
      while (EmulatedHca.living() > afterFirst && !deadline.isExpired()) {
        Thread.onSpinWait();
      }
      assertTrue(EmulatedHca.living() <= afterFirst, EmulatedHca.living() + " of " + afterFirst);
    }
  }

  /** Who connects while the other is in a connection gets the next one. */
  @Test(timeOut = LIMIT_MS)
  public void shouldWaitForTheEndOfAnotherConnection() {
    try (ThreadRanks one = new ThreadRanks(1);
        ThreadRanks second = new ThreadRanks(1);
        ThreadRanks third = new ThreadRanks(2)) {
      CompletableFuture<List<Intercommunicator>> accepted = accepting(one.all());
      List<Intercommunicator> connected = connecting(second.all()).join();
      List<DeadlineExceededException> told =
          ThreadRanks.onAll(
              third.all(),
              each ->
                  expectThrows(
                      DeadlineExceededException.class,
                      () -> each.connect(address, token, SHORT).close()));
      told.forEach(
          e -> assertTrue(e.getMessage().contains("in a connection with another"), e.getMessage()));
      ThreadRanks.assertUsable(third.all());
      CompletableFuture<List<Intercommunicator>> later = connecting(third.all());
      closeBoth(accepted.join(), connected);
      accepted = accepting(one.all());
      exchange(accepted.join(), later.join());
      closeBoth(accepted.join(), later.join());
    }
  }

  /** Which meets itself in a store of its own. */
  @Test(timeOut = LIMIT_MS)
  public void shouldConnectASingleProcess() {
    try (ThreadRanks job = new ThreadRanks(2);
        Communicator alone =
            Communicator.builder()
                .environment(Map.of())
                .rank(0, 1, 0)
                .localSize(1)
                .vendor("host")
                .store(new MemoryStore())
                .join()) {
      CompletableFuture<List<Intercommunicator>> accepted = accepting(job.all());
      List<Intercommunicator> connected = connecting(List.of(alone)).join();
      exchange(accepted.join(), connected);
      closeBoth(accepted.join(), connected);
      ThreadRanks.assertUsable(List.of(alone));
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldTellAllRanksThatNobodyCame() {
    try (ThreadRanks one = new ThreadRanks(2)) {
      List<TomboloException> told =
          ThreadRanks.onAll(
              one.all(),
              each ->
                  expectThrows(
                      DeadlineExceededException.class,
                      () -> each.accept(address, token, SHORT).close()));
      told.forEach(
          e -> assertTrue(e.getMessage().contains("no job has connected to "), e.getMessage()));
      told =
          ThreadRanks.onAll(
              one.all(),
              each ->
                  expectThrows(
                      TomboloException.class, () -> each.connect(address, token, SHORT).close()));
      assertEquals(told.get(0).getClass(), UnavailableException.class);
      told.forEach(
          e -> assertTrue(e.getMessage().contains("no job accepts connections"), e.getMessage()));
      ThreadRanks.assertUsable(one.all());
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldRefuseAnotherToken() {
    try (ThreadRanks one = new ThreadRanks(1);
        ThreadRanks stranger = new ThreadRanks(2);
        ThreadRanks friend = new ThreadRanks(1)) {
      CompletableFuture<List<Intercommunicator>> accepted = accepting(one.all());
      List<MismatchException> told =
          ThreadRanks.onAll(
              stranger.all(),
              each ->
                  expectThrows(
                      MismatchException.class,
                      () -> each.connect(address, JobToken.random(), ThreadRanks.LONG).close()));
      told.forEach(e -> assertTrue(e.getMessage().contains("token"), e.getMessage()));
      ThreadRanks.assertUsable(stranger.all());
      assertFalse(accepted.isDone());
      List<Intercommunicator> connected = connecting(friend.all()).join();
      exchange(accepted.join(), connected);
      closeBoth(accepted.join(), connected);
    }
  }

  /** A job that is left, or gives a connection up, ends it on the other side, and nothing else. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndWithEitherSidesJobAndWithNothingElse() {
    try (ThreadRanks one = new ThreadRanks(2)) {
      try (ThreadRanks other = new ThreadRanks(1)) {
        CompletableFuture<List<Intercommunicator>> accepted = accepting(one.all());
        List<Intercommunicator> connected = connecting(other.all()).join();
        exchange(accepted.join(), connected);
        ThreadRanks.closeAll(other.all());
        expectThrows(UsageException.class, connected.get(0)::abort);
        onSide(accepted.join(), ConnectTest::failureOf).join();
        ThreadRanks.assertUsable(one.all());
        onSide(accepted.join(), ConnectTest::close).join();
      }
      try (ThreadRanks other = new ThreadRanks(1)) {
        CompletableFuture<List<Intercommunicator>> accepted = accepting(one.all());
        List<Intercommunicator> connected = connecting(other.all()).join();
        accepted.join().get(1).abort();
        onSide(connected, ConnectTest::failureOf).join();
        ThreadRanks.assertUsable(one.all());
        ThreadRanks.assertUsable(other.all());
        closeBoth(accepted.join(), connected);
      }
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldRefuseRanksThatAreNotThereAndAddressesThatAreNone() {
    try (ThreadRanks one = new ThreadRanks(1);
        ThreadRanks other = new ThreadRanks(1)) {
      Communicator alone = one.all().get(0);
      for (InetSocketAddress nowhere :
          List.of(
              new InetSocketAddress(1234),
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              InetSocketAddress.createUnresolved("nowhere.invalid", 1234))) {
        expectThrows(UsageException.class, () -> alone.accept(nowhere, token, SHORT).close());
      }
      CompletableFuture<List<Intercommunicator>> accepted = accepting(one.all());
      List<Intercommunicator> connected = connecting(other.all()).join();
      Intercommunicator link = connected.get(0);
      try (Stream stream = link.device().newStream();
          DeviceArray array = new DeviceArray(link.device(), stream, Float.BYTES)) {
        for (int peer : new int[] {1, Message.ANY_RANK}) {
          UsageException e =
              expectThrows(
                  UsageException.class,
                  () -> link.receive(array.buffer(DataType.F32, 1), peer, stream));
          assertTrue(e.getMessage().contains("the other side are 0 … 0"), e.getMessage());
        }
      }
      exchange(accepted.join(), connected);
      closeBoth(accepted.join(), connected);
    }
  }
}
