package io.tombolo.runtime.exec.agent;

import io.tombolo.base.errors.TomboloException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** What the duties of one communicator share: the first failure of one is the end of all. */
public final class FailureState {
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
      listeners.forEach(listener -> listener.accept(cause));
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
