// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A store of the program around this one. Closing it ends its waits, and leaves the program's store
 * alone.
 */
public final class CallbackStore implements Store {
  private static final long SHORTEST_NS = 1_000_000;
  private static final long LONGEST_NS = 250_000_000;

  /** A wait looks again after this part of the time that it has waited. */
  private static final int PART = 4;

  private final StoreCallbacks callbacks;
  private final Waits waits = new Waits();

  /** A store that does everything by {@code callbacks}. */
  public CallbackStore(StoreCallbacks callbacks) {
    this.callbacks = callbacks;
  }

  @Override
  public void set(String key, byte[] value) {
    check(key);
    Limits.checkValue(key, value);
    call(
        "set",
        key,
        () -> {
          callbacks.set(key, value.clone());
          return true;
        });
  }

  @Override
  public Optional<byte[]> get(String key) {
    check(key);
    return call("get", key, () -> callbacks.get(key));
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    return keys.stream()
        .map(key -> awaited(key, keys, deadline))
        .collect(ImmutableList.toImmutableList());
  }

  private byte[] awaited(String key, Collection<String> keys, Deadline deadline) {
    Deadline since = Deadline.after(Duration.ZERO);
    Optional<byte[]> value = get(key);
    while (value.isEmpty()) {
      waits.check("wait for " + Keys.quoted(keys));
      if (deadline.isExpired()) {
        throw Keys.notSet(missing(keys), where(), deadline);
      }
      long pauseNs = Math.min(LONGEST_NS, Math.max(SHORTEST_NS, since.elapsedNs() / PART));
      pause(key, Math.min(pauseNs, Math.max(1, deadline.remainingNs())));
      value = get(key);
    }
    return value.get();
  }

  private void pause(String key, long pauseNs) {
    try {
      callbacks.await(key, Duration.ofNanos(pauseNs));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while waiting for '" + key + "'", e);
    } catch (RuntimeException e) {
      throw lost("wait for", key, e);
    }
  }

  private List<String> missing(Collection<String> keys) {
    return keys.stream().filter(key -> get(key).isEmpty()).toList();
  }

  @Override
  public long add(String key, long delta) {
    check(key);
    return call("add to", key, () -> callbacks.add(key, delta));
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    check(key);
    Limits.checkValue(key, desired);
    return call(
        "compare and set",
        key,
        () -> callbacks.compareSet(key, expected.clone(), desired.clone()).clone());
  }

  @Override
  public boolean delete(String key) {
    check(key);
    return call("delete", key, () -> callbacks.delete(key));
  }

  @Override
  public void endWaits(String why) {
    waits.end(why);
  }

  @Override
  public Store borrowed() {
    return new CallbackStore(callbacks);
  }

  @Override
  public String where() {
    return callbacks.where();
  }

  @Override
  public void close() {
    waits.close();
  }

  private <T> T call(String what, String key, Callable<T> call) {
    try {
      return call.call();
    } catch (Exception e) {
      throw lost(what, key, e);
    }
  }

  private TomboloException lost(String what, String key, Exception e) {
    return e instanceof TomboloException known
        ? known
        : new PeerFailedException(
            "%s could not %s '%s': %s; see what has become of the program that hosts it"
                .formatted(where(), what, key, e),
            e);
  }

  private static void check(String key) {
    Limits.checkKey(key, key.getBytes(StandardCharsets.UTF_8).length);
  }
}
