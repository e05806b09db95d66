// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.runtime.exec.memory.DevicePin;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
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
 * <p>So a thread frees something while a stream is held, and another one queues a copy: memory of
 * the device, page-locked memory, and the registration of some of the host's, as a driver may take
 * that lock for one and not for another. As with {@link StreamProbe}, a copy that is late is
 * believed to have waited if it returns as soon as the stream is let go, several times, or if none
 * returns for a long time: then the answer is no, which is always safe. A copy before the free
 * would be wrong the other way: so the thread is looked at until it is in native code, and then has
 * some time more, in each of several trials. For callers, not the agent.
 *
 * <p>Frees wait for all work of the device, that of other communicators of this process, too, for
 * as long as it takes. That says nothing of copies beside them: so nobody waits for the free.
 */
final class FreeProbe {
  private static final Logger LOG = LoggerFactory.getLogger(FreeProbe.class);
  private static final int TRIALS_EACH = 2;
  private static final int PROOFS = 2;
  private static final long PAGE_BYTES = 4096;
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

  /**
   * Whether work can be queued on {@code device} while another thread frees memory. What was asked
   * with is given back with {@code stack}, as that waits, too.
   */
  static boolean letsOthersQueue(DeviceAdaptor device, CloseStack stack) {
    try {
      return new FreeProbe(device, stack).letsOthersQueue();
    } catch (ExecutionException e) {
      LOG.warn("whether others can queue work while a thread frees memory is not known", e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean letsOthersQueue() throws ExecutionException, InterruptedException {
    long begun = System.nanoTime();
    long window = FIRST_WINDOW_MS;
    int proofs = 0;
    Kind[] kinds = Kind.values();
    for (int passed = 0; passed < TRIALS_EACH * kinds.length; ) {
      Outcome outcome = tryOnce(kinds[passed % kinds.length], window);
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

  /** What is freed. */
  private enum Kind {
    OF_THE_DEVICE,
    PAGE_LOCKED,
    REGISTERED
  }

  private enum Outcome {
    PASSED,
    /** It returned as soon as the stream was let go. */
    WAITED,
    LATE,
    STUCK
  }

  private Outcome tryOnce(Kind kind, long window) throws ExecutionException, InterruptedException {
    Runnable end = made(kind);
    FutureTask<?> free = new FutureTask<>(end, null);
    FutureTask<?> copy = new FutureTask<>(this::queue, null);
    long value = ++turn;
    try {
      device.waitValueAsync(held, word.address(), value);
    } catch (RuntimeException e) {
      end.run();
      throw e;
    }
    boolean passes;
    try {
      Thread freeing = start(free);
      if (!isInNativeCode(freeing)) {
        return Outcome.STUCK;
      }
      Thread.sleep(SETTLE_MS);
      start(copy);
      passes = returns(copy, window);
    } finally {
      word.setRelease(value);
    }
    if (free.isDone()) {
      free.get(); // one that has failed has waited for nothing, and proves nothing
    }
    if (passes) {
      return Outcome.PASSED;
    }
    boolean afterwards = returns(copy, window / 4);
    return !returns(copy, LIMIT_MS) ? Outcome.STUCK : afterwards ? Outcome.WAITED : Outcome.LATE;
  }

  /** Makes something of {@code kind}; what frees it. */
  private Runnable made(Kind kind) {
    return switch (kind) {
      case OF_THE_DEVICE -> device.allocate(Long.BYTES)::close;
      case PAGE_LOCKED -> device.allocatePinned(Long.BYTES)::close;
      case REGISTERED -> registered();
    };
  }

  /** Where the device does not take it, nobody of ours gives it back: then page-locked memory. */
  private Runnable registered() {
    NativeMemory host = NativeMemory.allocate(PAGE_BYTES);
    try {
      DevicePin pin = new DevicePin(device, host.address(), PAGE_BYTES);
      return () -> pin.closeWith(host);
    } catch (UnsupportedException e) {
      host.close();
      LOG.debug("registered memory is not what this device takes", e);
      return made(Kind.PAGE_LOCKED);
    } catch (RuntimeException e) {
      host.close();
      throw e;
    }
  }

  private static Thread start(Runnable what) {
    Thread thread = new Thread(what, "tombolo-free-probe");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** False if it does not come to it for long; a thread that has ended has been there. */
  private static boolean isInNativeCode(Thread thread) throws InterruptedException {
    Deadline deadline = Deadline.after(Duration.ofMillis(LIMIT_MS));
    while (thread.isAlive() && !deadline.isExpired()) {
      StackTraceElement[] stack = thread.getStackTrace();
      if (stack.length > 0 && stack[0].isNativeMethod()) {
        return true;
      }
      Thread.sleep(1);
    }
    return !thread.isAlive();
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
