// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.errors.TomboloException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the duties of one communicator share: the first failure of one is the end of all. */
public final class FailureState {
  private static final Logger LOG = LoggerFactory.getLogger(FailureState.class);

  private final AtomicReference<TomboloException> failure = new AtomicReference<>();
  private final List<Consumer<TomboloException>> listeners = new CopyOnWriteArrayList<>();

  /** Nothing has failed. */
  public FailureState() {}

  /** Has {@code listener} told of the first failure, on the thread that met it. */
  public void onFailure(Consumer<TomboloException> listener) {
    listeners.add(listener);
  }

  /** Ends everything because of {@code cause}; the first cause wins. Thread-safe. */
  public void fail(TomboloException cause) {
    if (failure.compareAndSet(null, cause)) {
      listeners.forEach(listener -> tell(listener, cause));
    }
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
