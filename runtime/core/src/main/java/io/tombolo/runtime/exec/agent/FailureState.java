// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the duties of one communicator share: the first failure of one is the end of all.
 *
 * <p>A peer that fails closes its channels and gives up its library's communicator, too, and that
 * may be seen before its reason is heard. So what is {@linkplain TomboloException#isSecondHand
 * second-hand} is a failure only when nobody tells the cause.
 */
public final class FailureState {
  private static final Logger LOG = LoggerFactory.getLogger(FailureState.class);

  /** An inquiry that takes longer has found nothing. */
  private static final Duration INQUIRY_LIMIT = Duration.ofSeconds(5);

  /** A store that does not answer must not keep anybody for longer. */
  private static final Duration TELLING_LIMIT = Duration.ofSeconds(5);

  private final AtomicReference<TomboloException> first = new AtomicReference<>();

  /** The first failure, from when callers may hear of it. */
  private final CompletableFuture<TomboloException> failure = new CompletableFuture<>();

  private final CompletableFuture<Boolean> told = new CompletableFuture<>();
  private final AtomicReference<TomboloException> loss = new AtomicReference<>();
  private final List<Consumer<TomboloException>> firstListeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<TomboloException>> listeners = new CopyOnWriteArrayList<>();
  private volatile Consumer<TomboloException> inquiry = this::fail;

  /** Nothing has failed. */
  public FailureState() {}

  /** Has {@code listener} told of the first failure, on the thread that met it. */
  public void onFailure(Consumer<TomboloException> listener) {
    listeners.add(listener);
  }

  /**
   * As {@link #onFailure}, but before callers can hear of the failure in any way: for what must
   * hold by then. It must not block, as whoever asks for the failure waits for it.
   */
  public void onFailureFirst(Consumer<TomboloException> listener) {
    firstListeners.add(listener);
  }

  /**
   * Has {@code inquiry} find out why a peer went, or did not come in time. It is called once, by
   * whoever first meets what is second-hand or a deadline, must not block, and sees to it that
   * {@link #fail} is called soon.
   */
  public void onLoss(Consumer<TomboloException> inquiry) {
    this.inquiry = inquiry;
  }

  /** Ends everything because of {@code cause}; the first cause wins. Thread-safe. */
  public void fail(TomboloException cause) {
    begin(cause).run();
  }

  /**
   * The first part of {@link #fail}: when this returns, callers may hear of {@code cause}. What it
   * gives has the listeners told, which may take a while, and must be run.
   */
  public Runnable begin(TomboloException cause) {
    if (!first.compareAndSet(null, cause)) {
      return () -> {};
    }
    try {
      firstListeners.forEach(listener -> tell(listener, cause));
    } finally {
      failure.complete(cause);
    }
    return () -> {
      try {
        listeners.forEach(listener -> tell(listener, cause));
      } finally {
        told.complete(true);
      }
    };
  }

  /**
   * As {@link #fail}, for callers: who finds that another thread has been first waits until that
   * has come as far as {@link #begin}. Thread-safe.
   */
  public void abort(TomboloException cause) {
    fail(cause);
    TomboloException unused = awaitFailure();
  }

  /**
   * For who leaves after a failure: what it takes along must not be what another thread tells of
   * the failure through. Returns at once if there was none, and waits for a few seconds at most.
   */
  public void awaitTold() {
    if (hasFailed()) {
      try {
        boolean unused = Uninterruptibles.getUninterruptibly(told, TELLING_LIMIT);
      } catch (TimeoutException | ExecutionException e) {
        LOG.warn(
            "not all have been told within {} of: {}", TELLING_LIMIT, first.get().getMessage());
      }
    }
  }

  /** A duty has met {@code cause}: ends everything, if need be after an inquiry. Thread-safe. */
  public void meet(TomboloException cause) {
    if (cause.isSecondHand() || cause instanceof DeadlineExceededException) {
      lose(cause);
    } else {
      fail(cause);
    }
  }

  /**
   * As {@link #meet}, by a caller that can wait a few seconds until an inquiry has ended: the
   * failure that this communicator ends with. Thread-safe.
   */
  public TomboloException awaitOutcome(TomboloException cause) {
    meet(cause);
    try {
      return Uninterruptibles.getUninterruptibly(failure, INQUIRY_LIMIT);
    } catch (TimeoutException | ExecutionException e) {
      fail(cause);
      return awaitFailure();
    }
  }

  private void lose(TomboloException seen) {
    if (!hasFailed() && loss.compareAndSet(null, seen)) {
      inquiry.accept(seen);
    }
  }

  /**
   * Ends everything because of the loss that a duty has met, or because of {@code cause} if none
   * has. Thread-safe.
   */
  public void settle(TomboloException cause) {
    fail(lossOr(cause));
  }

  private TomboloException lossOr(TomboloException cause) {
    TomboloException seen = loss.get();
    return seen == null ? cause : seen;
  }

  /** A library that cannot even be given up must not keep others from hearing of it. */
  private static void tell(Consumer<TomboloException> listener, TomboloException cause) {
    try {
      listener.accept(cause);
    } catch (Throwable e) {
      LOG.error("not all that a failure takes could be done; it was: {}", cause.getMessage(), e);
    }
  }

  /** The first failure, if there was one of which callers may hear by now. */
  public Optional<TomboloException> failure() {
    return Optional.ofNullable(failure.getNow(null));
  }

  /**
   * The first failure, where one {@linkplain #hasFailed is}; waits until callers may hear of it,
   * but not for those that are told first and, against their word, do not return.
   */
  public TomboloException awaitFailure() {
    try {
      return Uninterruptibles.getUninterruptibly(failure, TELLING_LIMIT);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("libraries are not given up within {}", TELLING_LIMIT);
      return first.get();
    }
  }

  /** Whether all is over: true a moment before callers may hear of the {@link #failure}. */
  public boolean hasFailed() {
    return first.get() != null;
  }
}
