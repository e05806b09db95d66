// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A job whose ranks, of vendor {@code host}, are threads of this process, with its store. */
final class ThreadRanks implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(60);

  private final JobToken token = JobToken.random();
  private final TcpStoreServer server =
      TcpStoreServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token);
  private final ImmutableSortedMap<String, String> settings;
  private final List<Communicator> joined;

  ThreadRanks(int size) {
    this(size, LONG);
  }

  /** With {@code settings} for all. */
  ThreadRanks(int size, ImmutableSortedMap<String, String> settings) {
    this(size, LONG, settings);
  }

  /** With {@code others}, each of which is given its place: they are no threads of this process. */
  ThreadRanks(int here, List<Consumer<JobEnvironment>> others) {
    settings = ImmutableSortedMap.of();
    int size = here + others.size();
    for (int i = 0; i < others.size(); i++) {
      others.get(i).accept(environment(here + i, size, LONG));
    }
    joined =
        join(IntStream.range(0, here).mapToObj(rank -> environment(rank, size, LONG)).toList());
  }

  /** With waits of {@code timeout} at most. */
  ThreadRanks(int size, Duration timeout) {
    this(size, timeout, ImmutableSortedMap.of());
  }

  private ThreadRanks(int size, Duration timeout, ImmutableSortedMap<String, String> settings) {
    this.settings = settings;
    joined =
        join(IntStream.range(0, size).mapToObj(rank -> environment(rank, size, timeout)).toList());
  }

  private static List<Communicator> join(List<JobEnvironment> here) {
    return onAll(here, Communicator::join);
  }

  private JobEnvironment environment(int rank, int size, Duration timeout) {
    return new JobEnvironment(
        rank,
        size,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        timeout,
        settings);
  }

  /** The job's store is gone from here on, as if its process had been killed. */
  void loseStore() {
    server.close();
  }

  /** What a new process finds in its environment that is to join. */
  JobEnvironment newcomer() {
    return environment(0, 1, LONG);
  }

  /** The keys that there are in the job's store. */
  List<String> keys() {
    try (TcpStore store = TcpStore.connect(server.address(), token, Deadline.after(LONG))) {
      return store.keys();
    }
  }

  /** The communicator of all, by rank. */
  List<Communicator> all() {
    return joined;
  }

  @Override
  public void close() {
    closeAll(joined);
    server.close();
  }

  static void closeAll(List<Communicator> ranks) {
    onAll(
        ranks,
        each -> {
          each.close();
          return true;
        });
  }

  static <T> CompletableFuture<T> later(Callable<T> task) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(task.call());
              } catch (Throwable e) {
                future.completeExceptionally(e);
              }
            },
            "rank");
    thread.setDaemon(true);
    thread.start();
    return future;
  }

  static <S, T> List<T> onAll(List<S> ranks, Function<S, T> task) {
    return ranks.stream().map(each -> later(() -> task.apply(each))).toList().stream()
        .map(CompletableFuture::join)
        .toList();
  }

  static List<Communicator> split(List<Communicator> ranks) {
    return onAll(ranks, each -> each.split(0, 0).orElseThrow());
  }

  /** The failure of {@code communicator}, which comes soon. */
  static TomboloException failureOf(Communicator communicator) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(60));
    while (communicator.failure().isEmpty() && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
    return communicator.failure().orElseThrow();
  }

  /** All {@code ranks} of one communicator meet, and come through a barrier. */
  static void assertUsable(List<Communicator> ranks) {
    onAll(
        ranks,
        each -> {
          each.meet(LONG);
          try (var stream = each.device().newStream()) {
            each.barrier(stream).await(LONG);
          }
          return true;
        });
  }
}
