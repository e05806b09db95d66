// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableSortedSet;
import io.tombolo.base.errors.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The contents of a store: values and queues by key, with the rules of torch's TCPStore.
 *
 * <p>Not thread-safe; arrays are kept and given out without a copy. Beyond its budget a {@link
 * io.tombolo.base.errors.ResourceException} is thrown and nothing changes.
 */
final class KeySpace {
  /** What an entry costs beside its bytes; keeps the number of empty entries bounded too. */
  private static final long ENTRY_BYTES = 128;

  private final MemoryBudget budget;
  private final Map<String, byte[]> values = new HashMap<>();
  private final Map<String, Deque<byte[]>> queues = new HashMap<>();

  KeySpace(MemoryBudget budget) {
    this.budget = budget;
  }

  void set(String key, byte[] value) {
    budget.reserve(cost(key, value));
    byte[] before = values.put(key, value);
    if (before != null) {
      budget.release(cost(key, before));
    }
  }

  Optional<byte[]> get(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Whether a wait for {@code key} is over: it has a value, or something is queued. */
  boolean has(String key) {
    return values.containsKey(key) || queues.containsKey(key);
  }

  long add(String key, long delta) {
    long sum = get(key).map(text -> number(key, text)).orElse(0L) + delta;
    set(key, Long.toString(sum).getBytes(StandardCharsets.US_ASCII));
    return sum;
  }

  byte[] compareSet(String key, byte[] expected, byte[] desired) {
    byte[] now = values.get(key);
    if (now == null && expected.length > 0) {
      return expected;
    }
    if (now != null && !Arrays.equals(now, expected)) {
      return now;
    }
    set(key, desired);
    return desired;
  }

  void append(String key, byte[] more) {
    byte[] before = values.getOrDefault(key, new byte[0]);
    byte[] joined = Arrays.copyOf(before, Math.addExact(before.length, more.length));
    System.arraycopy(more, 0, joined, before.length, more.length);
    Limits.checkValue(key, joined);
    set(key, joined);
  }

  boolean delete(String key) {
    byte[] before = values.remove(key);
    if (before != null) {
      budget.release(cost(key, before));
    }
    return before != null;
  }

  /** The keys that have a value, sorted. */
  ImmutableSortedSet<String> keys() {
    return ImmutableSortedSet.copyOf(values.keySet());
  }

  long size() {
    return values.size();
  }

  void push(String key, byte[] value) {
    budget.reserve(cost(key, value));
    queues.computeIfAbsent(key, k -> new ArrayDeque<>()).add(value);
  }

  /** Takes the oldest value off the queue at {@code key}. */
  Optional<byte[]> pop(String key) {
    Deque<byte[]> queue = queues.get(key);
    if (queue == null) {
      return Optional.empty();
    }
    byte[] value = queue.remove();
    if (queue.isEmpty()) {
      queues.remove(key);
    }
    budget.release(cost(key, value));
    return Optional.of(value);
  }

  long queueLength(String key) {
    Deque<byte[]> queue = queues.get(key);
    return queue == null ? 0 : queue.size();
  }

  private static long number(String key, byte[] text) {
    String digits = new String(text, StandardCharsets.US_ASCII);
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new UsageException("the store's key '" + key + "' does not hold a number", e);
    }
  }

  private static long cost(String key, byte[] value) {
    return ENTRY_BYTES + key.length() + value.length;
  }
}
