// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import io.tombolo.base.CloseStack;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.JointWriter;
import io.tombolo.store.Snapshot;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.LayoutSpec;
import io.tombolo.tensors.layout.TensorLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Ranks that put a state dict together, cut by rows, and get it cut by columns. Each has a thread
 * and a connection of its own.
 */
final class RankBench implements AutoCloseable {
  /** Bytes of a row: 4096 elements of bf16. */
  private static final long COLUMNS = 8192;

  private final CloseStack opened = new CloseStack();
  private final List<TensorStore> stores = new ArrayList<>();
  private final StoreOptions options;
  private final ExecutorService threads;
  private int round;

  RankBench(InetSocketAddress address, JobToken token, StoreOptions options, int ranks) {
    this.options = options;
    this.threads = Executors.newFixedThreadPool(ranks);
    opened.opened(threads::shutdownNow);
    for (int rank = 0; rank < ranks; rank++) {
      stores.add(opened.opened(TensorStore.connect(address, token, options)));
    }
  }

  /** Puts {@code whole} as a version, each rank its rows. */
  void put(String name, Map<String, HostTensor> whole) {
    round++;
    each(
        rank -> {
          Map<String, TensorPart> parts = new TreeMap<>();
          whole.forEach(
              (tensor, held) -> {
                TensorLayout rows = layout(held, "/S0:" + stores.size());
                parts.put(tensor, TensorPart.of(rows, rank, part(rows, rank, held)));
              });
          JointWriter who =
              new JointWriter("round " + round, stores.size(), rank, options.timeout());
          stores.get(rank).putStateDictPart(name, who, parts);
        });
  }

  /**
   * Gets the newest version into {@code whole}, each rank its columns, which lie together there.
   */
  void get(String name, Map<String, HostTensor> whole) {
    each(
        rank -> {
          try (Snapshot snapshot = stores.get(rank).openStateDict(name)) {
            List<WantedPart> wanted = new ArrayList<>();
            whole.forEach(
                (tensor, held) -> {
                  TensorLayout columns = layout(held, "/S1:" + stores.size());
                  Box box = columns.shards().get(rank).box();
                  wanted.add(new WantedPart(tensor, box, part(columns, rank, held)));
                });
            snapshot.getAllInto(wanted);
          }
        });
  }

  @Override
  public void close() {
    opened.close();
  }

  /** How much of a tensor of so many bytes is moved: whole rows of it. */
  static long movedBytes(long sizeBytes) {
    return sizeBytes - sizeBytes % Math.min(COLUMNS, sizeBytes);
  }

  /** A matrix of as many bytes, less what is not moved. */
  private static TensorLayout layout(HostTensor held, String axes) {
    long sizeBytes = held.spec().sizeBytes();
    long columns = Math.min(COLUMNS, sizeBytes);
    return LayoutSpec.parse(axes).layout(new long[] {sizeBytes / columns, columns}, true);
  }

  /** The rank's part, which lies behind those of the ranks before it. */
  private static HostTensor part(TensorLayout layout, int rank, HostTensor held) {
    long before =
        layout.shards().subList(0, rank).stream().mapToLong(shard -> shard.box().elements()).sum();
    Box box = layout.shards().get(rank).box();
    TensorSpec spec = TensorSpec.of(held.spec().type(), box.shape());
    return new HostTensor(spec, held.memory(), held.offset() + before);
  }

  private void each(IntConsumer work) {
    CompletableFuture<?>[] all =
        IntStream.range(0, stores.size())
            .mapToObj(rank -> CompletableFuture.runAsync(() -> work.accept(rank), threads))
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(all).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof TomboloException error ? error.metBy("a rank") : e;
    }
  }
}
