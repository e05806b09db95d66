// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.LongCell;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a thread can queue work while another one frees memory, and so waits for a held
 * stream. CUDA's driver keeps a lock of the context meanwhile, which copies, launches and recorded
 * events need: seen on an H200 with driver 580, in no document. The agent would wait there for a
 * stream that waits for the agent.
 *
 * <p>So a thread frees a block while a stream is held, and another one queues a copy. As with
 * {@link StreamProbe}, a copy that is late is believed to have waited if it returns as soon as the
 * stream is let go, several times, or if none returns for a long time: then the answer is no, which
 * is always safe. That of a thread that has not come to its free in time would be wrong the other
 * way; it has to be so in all trials. For callers, not the agent.
 */
final class FreeProbe {
  private static final Logger LOG = LoggerFactory.getLogger(FreeProbe.class);
  private static final int TRIALS = 3;
  private static final int PROOFS = 2;
  private static final long SETTLE_MS = 4;
  private static final long FIRST_WINDOW_MS = 20;
  private static final long LIMIT_MS = 2000;

  private final DeviceAdaptor device;
  private final LongCell word;
  private final Stream held;
  private final Stream other;
  private final DeviceMemory source;
  private final DeviceMemory target;
  private final Event event;
  private long turn;

  private FreeProbe(DeviceAdaptor device, CloseStack stack) {
    this.device = device;
    word = device.newWords(1).get(0);
    held = stack.opened(device.newStream());
    other = stack.opened(device.newUrgentStream());
    source = stack.opened(device.allocatePinned(Long.BYTES));
    target = stack.opened(device.allocate(Long.BYTES));
    event = stack.opened(device.newEvent());
  }

  /** Whether work can be queued on {@code device} while another thread frees memory. */
  static boolean letsOthersQueue(DeviceAdaptor device) {
    ExecutorService threads = Executors.newFixedThreadPool(2, FreeProbe::thread);
    try (CloseStack stack = new CloseStack()) {
      return new FreeProbe(device, stack).letsOthersQueue(threads);
    } catch (ExecutionException e) {
      LOG.warn("whether others can queue work while a thread frees memory is not known", e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      threads.shutdown();
    }
  }

  private static Thread thread(Runnable what) {
    Thread thread = new Thread(what, "tombolo-free-probe");
    thread.setDaemon(true);
    return thread;
  }

  private boolean letsOthersQueue(ExecutorService threads)
      throws ExecutionException, InterruptedException {
    long begun = System.nanoTime();
    long window = FIRST_WINDOW_MS;
    int proofs = 0;
    for (int passed = 0; passed < TRIALS; ) {
      Outcome outcome = tryOnce(threads, window);
      passed += outcome == Outcome.PASSED ? 1 : 0;
      proofs += outcome == Outcome.WAITED ? 1 : 0;
      long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      if (outcome == Outcome.STUCK || proofs == PROOFS || elapsed >= LIMIT_MS) {
        return false;
      }
      window *= outcome == Outcome.PASSED ? 1 : 2;
    }
    return true;
  }

  private enum Outcome {
    PASSED,
    /** It returned as soon as the stream was let go. */
    WAITED,
    LATE,
    STUCK
  }

  private Outcome tryOnce(ExecutorService threads, long window)
      throws ExecutionException, InterruptedException {
    DeviceMemory block = device.allocate(Long.BYTES);
    CountDownLatch freeing = new CountDownLatch(1);
    long value = ++turn;
    device.waitValueAsync(held, word.address(), value);
    Future<?> free;
    Future<?> copy;
    boolean passes;
    try {
      free =
          threads.submit(
              () -> {
                freeing.countDown();
                block.close();
              });
      if (!freeing.await(LIMIT_MS, TimeUnit.MILLISECONDS)) {
        return Outcome.STUCK;
      }
      Thread.sleep(SETTLE_MS);
      copy = threads.submit(this::queue);
      passes = returns(copy, window);
    } finally {
      word.setRelease(value);
    }
    boolean afterwards = returns(copy, window / 4);
    if (!returns(free, LIMIT_MS) || !returns(copy, LIMIT_MS)) {
      return Outcome.STUCK;
    }
    return passes ? Outcome.PASSED : afterwards ? Outcome.WAITED : Outcome.LATE;
  }

  private void queue() {
    device.copyAsync(
        CopyDirection.HOST_TO_DEVICE, target.address(), source.address(), Long.BYTES, other);
    event.record(other);
  }

  private static boolean returns(Future<?> call, long withinMs)
      throws ExecutionException, InterruptedException {
    try {
      call.get(withinMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }
}
