// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the duties of one communicator share: the first failure of one is the end of all.
 *
 * <p>A peer that fails closes its channels, too, and that may be seen before its reason is heard.
 * So the loss of a peer is a failure only when nobody tells the cause.
 */
public final class FailureState {
  private static final Logger LOG = LoggerFactory.getLogger(FailureState.class);

  private final AtomicReference<TomboloException> failure = new AtomicReference<>();
  private final AtomicReference<PeerFailedException> loss = new AtomicReference<>();
  private final List<Consumer<TomboloException>> listeners = new CopyOnWriteArrayList<>();
  private volatile Consumer<PeerFailedException> inquiry = this::fail;

  /** Nothing has failed. */
  public FailureState() {}

  /** Has {@code listener} told of the first failure, on the thread that met it. */
  public void onFailure(Consumer<TomboloException> listener) {
    listeners.add(listener);
  }

  /**
   * Has {@code inquiry} find out why a peer went. It is called once, by whoever misses the peer,
   * must not block, and sees to it that {@link #fail} is called soon.
   */
  public void onLoss(Consumer<PeerFailedException> inquiry) {
    this.inquiry = inquiry;
  }

  /** Ends everything because of {@code cause}; the first cause wins. Thread-safe. */
  public void fail(TomboloException cause) {
    if (failure.compareAndSet(null, cause)) {
      listeners.forEach(listener -> tell(listener, cause));
    }
  }

  /** A duty has met {@code cause}: ends everything, if need be after an inquiry. Thread-safe. */
  public void meet(TomboloException cause) {
    if (cause instanceof PeerFailedException gone) {
      lose(gone);
    } else {
      fail(cause);
    }
  }

  private void lose(PeerFailedException seen) {
    if (!hasFailed() && loss.compareAndSet(null, seen)) {
      inquiry.accept(seen);
    }
  }

  /**
   * Ends everything because of the loss that a duty has met, or because of {@code cause} if none
   * has. Thread-safe.
   */
  public void settle(TomboloException cause) {
    TomboloException seen = loss.get();
    fail(seen == null ? cause : seen);
  }

  /** A library that cannot even be given up must not keep others from hearing of it. */
  private static void tell(Consumer<TomboloException> listener, TomboloException cause) {
    try {
      listener.accept(cause);
    } catch (Throwable e) {
      LOG.error("not all that a failure takes could be done; it was: {}", cause.getMessage(), e);
    }
  }

  /** The first failure, if there was one. */
  public Optional<TomboloException> failure() {
    return Optional.ofNullable(failure.get());
  }

  public boolean hasFailed() {
    return failure.get() != null;
  }
}
