// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A store for the threads of one process. */
public final class MemoryStore implements Store {
  private final KeySpace space = new KeySpace(new MemoryBudget(Limits.SERVER_BYTES));
  private Optional<String> over = Optional.empty();

  /** A store with nothing in it. */
  public MemoryStore() {}

  @Override
  public synchronized void set(String key, byte[] value) {
    space.set(checked(key), checked(key, value));
    notifyAll();
  }

  @Override
  public synchronized Optional<byte[]> get(String key) {
    return space.get(key).map(byte[]::clone);
  }

  @Override
  public synchronized ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    for (List<String> missing = missing(keys); !missing.isEmpty(); missing = missing(keys)) {
      if (over.isPresent()) {
        throw Keys.over("wait for " + Keys.quoted(missing), over.get());
      }
      if (deadline.isExpired()) {
        throw Keys.notSet(missing, where(), deadline);
      }
      pause(missing, deadline);
    }
    return keys.stream()
        .map(key -> get(key).orElseThrow())
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public synchronized long add(String key, long delta) {
    long sum = space.add(checked(key), delta);
    notifyAll();
    return sum;
  }

  @Override
  public synchronized byte[] compareSet(String key, byte[] expected, byte[] desired) {
    byte[] now = space.compareSet(checked(key), expected, checked(key, desired));
    notifyAll();
    return now.clone();
  }

  @Override
  public synchronized boolean delete(String key) {
    return space.delete(key);
  }

  @Override
  public synchronized void endWaits(String why) {
    over = Optional.of(why);
    notifyAll();
  }

  @Override
  public String where() {
    return "this process's store";
  }

  @Override
  public void close() {}

  private List<String> missing(Collection<String> keys) {
    return keys.stream().filter(key -> !space.has(key)).toList();
  }

  private void pause(List<String> missing, Deadline deadline) {
    try {
      TimeUnit.MILLISECONDS.timedWait(this, deadline.waitMs());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while waiting for " + Keys.quoted(missing), e);
    }
  }

  private static String checked(String key) {
    Limits.checkKey(key, key.getBytes(StandardCharsets.UTF_8).length);
    return key;
  }

  private static byte[] checked(String key, byte[] value) {
    Limits.checkValue(key, value);
    return value.clone();
  }
}
