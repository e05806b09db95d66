// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;

/**
 * One rank of an all_reduce of f32 by the host engine, called through JNI in this thread; the
 * candidate of {@code bench/peers/run} that shows what JNI adds to the same calls from C.
 *
 * <p>Arguments: rank, ranks, a file in which rank 0 leaves the unique id, sizes in bytes. Each rank
 * prints {@code SIZE MEDIAN_US} for each, a line at once, as {@code bench/peers/times.h} does.
 */
public final class JniCalls {
  private static final int ID_BYTES = 128;
  private static final long PATIENCE_MS = 60_000;

  private final CclDialect row = HostCcl.row();
  private final long communicator;

  private JniCalls(long communicator) {
    this.communicator = communicator;
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    int rank = Integer.parseInt(args[0]);
    int ranks = Integer.parseInt(args[1]);
    List<Long> sizes = Arrays.stream(args).skip(3).map(Long::valueOf).toList();
    try (CclLibrary library = CclLibrary.open(HostCcl.row())) {
      byte[] id = rank == 0 ? newId(library, Path.of(args[2])) : awaitId(Path.of(args[2]));
      long[] joined = new long[1];
      library.check(
          CclNative.join0(library.handle(), id, rank, ranks, 0, joined),
          library.handle(),
          "joining");
      JniCalls calls = new JniCalls(joined[0]);
      for (long bytes : sizes) {
        calls.measure(library, bytes);
      }
      library.check(CclNative.destroy0(joined[0]), library.handle(), "leaving");
    }
  }

  private static byte[] newId(CclLibrary library, Path file) throws IOException {
    byte[] id = new byte[ID_BYTES];
    library.check(CclNative.uniqueId0(library.handle(), id), library.handle(), "making an id");
    Path draft = Files.write(file.resolveSibling(file.getFileName() + ".new"), id);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    return id;
  }

  private static byte[] awaitId(Path file) throws IOException, InterruptedException {
    long giveUp = System.currentTimeMillis() + PATIENCE_MS;
    while (!Files.exists(file)) {
      if (System.currentTimeMillis() > giveUp) {
        throw new IOException("rank 0 left no id in " + file + " within " + PATIENCE_MS + " ms");
      }
      Thread.sleep(1);
    }
    return Files.readAllBytes(file);
  }

  private void measure(CclLibrary library, long bytes) {
    int calls = (int) Math.max(7, Math.min(2000, 200_000_000 / (bytes + 20_000)));
    int warmUp = Math.max(calls / 4 + 2, bytes < 1 << 20 ? 30_000 : 0); // until it is compiled
    long[] times = new long[calls];
    try (NativeMemory in = NativeMemory.allocate(bytes);
        NativeMemory out = NativeMemory.allocate(bytes)) {
      fill(in.view(0, (int) bytes));
      for (int i = -warmUp; i < calls; i++) {
        long from = System.nanoTime();
        int code = allReduce(in.address(), out.address(), bytes / Float.BYTES);
        if (i >= 0) {
          times[i] = System.nanoTime() - from;
        }
        library.check(code, communicator, "all_reduce");
      }
    }
    Arrays.sort(times);
    System.out.print("%d %.3f\n".formatted(bytes, times[calls / 2] / 1000.0)); // at once
  }

  /** Memory that nobody has written is one page of zeros, which is never read from far. */
  private static void fill(ByteBuffer memory) {
    while (memory.hasRemaining()) {
      memory.putFloat(memory.position() % 1000);
    }
  }

  private int allReduce(long send, long receive, long count) {
    return CclNative.collective0(
        communicator,
        Entry.of(Primitive.ALL_REDUCE).place(),
        send,
        receive,
        count,
        row.numbers().of(DataType.F32),
        row.numbers().of(ReduceOp.SUM),
        0,
        0);
  }
}
