// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A store that knows which of its keys this process has set, so that it can remove them; and so
 * that another can do so, should it be killed, it puts the list into the store as well.
 *
 * <p>Thread-safe. Numbers that are added to are nobody's.
 */
public final class OwnKeys implements Store {
  private static final String SEPARATOR = "\n";

  private final Store store;
  private final String list;
  private final Set<String> keys;

  /**
   * Counts what is set in {@code store}, which is closed with this; lists it under {@code list}.
   */
  public OwnKeys(Store store, String list) {
    this(store, list, new ConcurrentSkipListSet<>());
  }

  private OwnKeys(Store store, String list, Set<String> keys) {
    this.store = store;
    this.list = list;
    this.keys = keys;
  }

  /** Counts {@code key} among this process's, too. */
  public void own(String key) {
    keys.add(key);
  }

  /** Removes this process's keys that {@code unwanted} picks. */
  public void deleteIf(Predicate<String> unwanted) {
    for (String key : keys) {
      if (unwanted.test(key)) {
        delete(key);
      }
    }
  }

  /** From now on others remove {@code key}. */
  public void disown(String key) {
    keys.remove(key);
  }

  /**
   * Gives away the keys that {@code picked} picks: from now on others remove them, with {@link
   * #deleteListed} of {@code list}, which is nobody's either.
   */
  public void bequeath(Predicate<String> picked, String list) {
    List<String> given = keys.stream().filter(picked).toList();
    String names = given.stream().map(key -> key + SEPARATOR).collect(Collectors.joining());
    store.set(list, (names + SEPARATOR).getBytes(UTF_8)); // of no key at all, too, it is something
    given.forEach(keys::remove);
  }

  /** Lists the keys there are now in the store; nothing, if there are none. */
  public synchronized void publish() {
    if (keys.isEmpty()) {
      store.delete(list);
    } else {
      store.set(list, String.join(SEPARATOR, keys).getBytes(UTF_8));
    }
  }

  /** Removes what another process has listed under {@code list} in {@code store}, and the list. */
  public static void deleteListed(Store store, String list) {
    store
        .get(list)
        .ifPresent(
            bytes ->
                Splitter.on(SEPARATOR)
                    .omitEmptyStrings()
                    .split(new String(bytes, UTF_8))
                    .forEach(store::delete));
    store.delete(list);
  }

  @Override
  public void set(String key, byte[] value) {
    keys.add(key);
    store.set(key, value);
  }

  @Override
  public Optional<byte[]> get(String key) {
    return store.get(key);
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> wanted, Deadline deadline) {
    return store.awaitAll(wanted, deadline);
  }

  @Override
  public long add(String key, long delta) {
    return store.add(key, delta);
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return store.compareSet(key, expected, desired);
  }

  @Override
  public boolean delete(String key) {
    keys.remove(key);
    return store.delete(key);
  }

  @Override
  public void endWaits(String why) {
    store.endWaits(why);
  }

  @Override
  public Store borrowed() {
    return new OwnKeys(store.borrowed(), list, keys);
  }

  @Override
  public String where() {
    return store.where();
  }

  @Override
  public void close() {
    store.close();
  }
}
