// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.Comparator;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Makes the calls of one port in which the kernel may look for a peer's address, as {@link
 * Resolution} says: each may take a second. They are made one after the other, on a thread of their
 * own that is there only while there are some, so that the rounds of those who wait for them go on.
 * The call that has failed least often comes first: a peer that is there is kept waiting at most
 * once by each that is not. Thread-safe.
 */
final class Resolver implements AutoCloseable {
  static final String THREAD = "tombolo-resolver";

  private static final int FEW = 8;
  private static final long IDLE_MS = 1000;

  private static final Comparator<AddressCall> ORDER =
      Comparator.comparingInt(AddressCall::failures).thenComparingLong(AddressCall::number);

  private final AtomicLong numbers = new AtomicLong();
  private final ThreadPoolExecutor calls;

  Resolver() {
    calls =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new PriorityBlockingQueue<>(
                FEW, (a, b) -> ORDER.compare((AddressCall) a, (AddressCall) b)),
            Resolver::thread);
    calls.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable worker) {
    Thread thread = new Thread(worker, THREAD);
    thread.setDaemon(true);
    return thread;
  }

  /** Has {@code call} made, which has failed {@code failures} times before. */
  AddressCall submit(BooleanSupplier call, int failures) {
    AddressCall submitted = new AddressCall(call, failures, numbers.getAndIncrement());
    calls.execute(submitted);
    return submitted;
  }

  /** Ends the thread. All calls are over. */
  @Override
  public void close() {
    calls.shutdown();
    Uninterruptibles.awaitTerminationUninterruptibly(calls);
  }
}
