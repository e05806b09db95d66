// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Collective;
import java.util.List;

/**
 * Two ranks of {@code host} in one process, which do what ranks mostly do: {@link ClassData} keeps
 * what they load. A program.
 */
final class SampleJob {
  private static final int RANKS = 2;
  private static final int ELEMENTS = 1 << 10;
  private static final long BYTES = 1 << 16;
  private static final int LIMIT_MS = 60_000;
  private static final int NO_SLOT = -1;

  private static final List<Collective> CALLS =
      List.of(
          Collective.ALL_REDUCE, Collective.BROADCAST, Collective.ALL_GATHER, Collective.BARRIER);

  private final Shell shell = new Shell();
  private final String id = new String(shell.makeId(""), UTF_8);

  private SampleJob() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws InterruptedException {
    SampleJob job = new SampleJob();
    Thread other = new Thread(() -> job.run(1));
    other.start();
    job.run(0);
    other.join();
  }

  private void run(int rank) {
    String[] environment = {"TOMBOLO_VENDOR=host"};
    long handle =
        shell.join(
            environment,
            rank,
            RANKS,
            rank,
            RANKS,
            "",
            -1,
            -1,
            "",
            LIMIT_MS,
            new String[0],
            0,
            "",
            id);
    long memory = shell.allocate(handle, 2 * BYTES, false);
    shell.addSlots(rank, shell.allocate(handle, BYTES, false));
    for (Collective call : CALLS) {
      call(handle, call, memory, CallFlags.BLOCKING, NO_SLOT);
      int slot = rank * WorkSlots.CHUNK;
      call(handle, call, memory, 0, slot);
      shell.await(slot, LIMIT_MS);
      shell.release(slot);
    }
    shell.destroy(handle);
  }

  private void call(long handle, Collective collective, long memory, int flags, int slot) {
    int type = DataType.F32.code();
    int op = ReduceOp.SUM.code();
    shell.call(
        handle,
        collective.code(),
        memory,
        memory + BYTES,
        ELEMENTS,
        type,
        op,
        0,
        0,
        flags,
        LIMIT_MS,
        0,
        slot);
  }
}
