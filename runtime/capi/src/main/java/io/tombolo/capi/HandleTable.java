// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import io.tombolo.base.errors.UsageException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects that C knows by number. A number is never given twice, so one that was released finds
 * nothing. Thread-safe.
 *
 * @param <T> what the numbers stand for
 */
final class HandleTable<T> {
  private final String kind;
  private final Map<Long, T> objects = new ConcurrentHashMap<>();
  private long last;
  private volatile Entry<T> recent = new Entry<>(0, null);

  private record Entry<T>(long handle, T object) {}

  /** A table of what messages call {@code kind}. */
  HandleTable(String kind) {
    this.kind = kind;
  }

  /** The number of {@code object} from now on, from 1. */
  synchronized long add(T object) {
    last++;
    objects.put(last, object);
    return last;
  }

  /**
   * What {@code handle} stands for.
   *
   * @throws UsageException if it stands for nothing
   */
  T get(long handle) {
    Entry<T> known = recent; // most programs have one, and need no boxed number then
    if (known.handle() == handle && handle != 0) {
      return known.object();
    }
    T object = objects.get(handle);
    if (object == null) {
      throw new UsageException(
          "there is no %s %s: it was destroyed, or never made".formatted(kind, handle));
    }
    remember(handle, object);
    return object;
  }

  private synchronized void remember(long handle, T object) {
    if (objects.containsKey(handle)) {
      recent = new Entry<>(handle, object);
    }
  }

  /** Forgets {@code handle}; what it stood for, if it did. */
  synchronized Optional<T> remove(long handle) {
    recent = new Entry<>(0, null);
    return Optional.ofNullable(objects.remove(handle));
  }

  /** All numbers, the latest first. */
  ImmutableList<Long> latestFirst() {
    return ImmutableList.copyOf(Lists.reverse(Lists.newArrayList(new TreeMap<>(objects).keySet())));
  }
}
