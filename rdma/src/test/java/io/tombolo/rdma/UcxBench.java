// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One of two processes that send each other messages through UCX, as the tests tag_lat and tag_bw
 * of ucx_perftest do; see bench/ucx/run. Its arguments are {@code jucx} or {@code channel}, its
 * rank, a folder where the two meet, and for each size {@code BYTES:COUNT}. Rank 0 prints, for each
 * size: the size, the median of half a round trip in µs, and MiB/s one way.
 */
public final class UcxBench {
  /** How many messages are under way in one direction, as many as ucx_perftest has. */
  private static final int WINDOW = 32;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Deadline deadline = Deadline.after(LIMIT);
  private final UcxMessages messages;
  private final boolean first;

  private UcxBench(UcxMessages messages, boolean first) {
    this.messages = messages;
    this.first = first;
  }

  public static void main(String[] arguments) throws IOException {
    boolean first = arguments[1].equals("0");
    Path folder = Path.of(arguments[2]);
    List<int[]> rows = Arrays.stream(arguments).skip(3).map(UcxBench::row).toList();
    int most = rows.stream().mapToInt(row -> row[0]).max().orElseThrow();
    try (UcxMessages messages =
        arguments[0].equals("jucx")
            ? new JucxMessages(folder, first, most)
            : new ChannelMessages(folder, first, most)) {
      UcxBench bench = new UcxBench(messages, first);
      for (int[] row : rows) {
        bench.measure(row[0], row[1]);
      }
    }
  }

  private static int[] row(String text) {
    return Arrays.stream(text.split(":", 2)).mapToInt(Integer::parseInt).toArray();
  }

  /** Each once to warm up, and once more. */
  private void measure(int sizeBytes, int count) {
    roundTrips(sizeBytes, count);
    double halfNs = roundTrips(sizeBytes, count);
    oneWay(sizeBytes, count);
    double ns = oneWay(sizeBytes, count);
    if (first) {
      double mibPerSecond = (double) sizeBytes * count / (1 << 20) / (ns / 1e9);
      System.out.printf(Locale.ROOT, "%d %.2f %.2f%n", sizeBytes, halfNs / 1e3, mibPerSecond);
    }
  }

  private double roundTrips(int sizeBytes, int count) {
    long[] tripsNs = new long[count];
    for (int i = 0; i < count; i++) {
      long begin = System.nanoTime();
      if (first) {
        messages.send(sizeBytes);
      }
      messages.receive(sizeBytes);
      await(0);
      if (!first) {
        messages.send(sizeBytes);
        await(0);
      }
      tripsNs[i] = System.nanoTime() - begin;
    }
    Arrays.sort(tripsNs);
    return tripsNs[count / 2] / 2.0;
  }

  /** Ends when the receiver has said that it has all. */
  private double oneWay(int sizeBytes, int count) {
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      await(WINDOW - 1);
      if (first) {
        messages.send(sizeBytes);
      } else {
        messages.receive(sizeBytes);
      }
    }
    await(0);
    if (first) {
      messages.receive(1);
    } else {
      messages.send(1);
    }
    await(0);
    return System.nanoTime() - begin;
  }

  private void await(int open) {
    while (messages.progress() > open) {
      if (deadline.isExpired()) {
        throw new AssertionError("messages have not completed within " + deadline);
      }
    }
  }
}
