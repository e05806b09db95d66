// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a store server does, without sockets, threads or time: a key space and the clients that wait
 * for keys to appear in it. Used by one thread.
 */
final class StoreEngine {
  /** Where replies go. */
  interface Client {
    void reply(WireWriter message);
  }

  /** A reply larger than this is refused: one request could name one large value many times. */
  private static final long REPLY_BYTES = 64L << 20;

  /** What a key in a wait costs beside its characters. */
  private static final long WAIT_BYTES = 128;

  private final MemoryBudget budget;
  private final KeySpace space;
  private final SetMultimap<String, Client> waitersByKey = LinkedHashMultimap.create();
  private final Map<Client, Set<String>> missingByClient = new HashMap<>();

  StoreEngine(MemoryBudget budget) {
    this.budget = budget;
    this.space = new KeySpace(budget);
  }

  KeySpace space() {
    return space;
  }

  /** The values under {@code keys} one after the other, missing ones as empty. */
  WireWriter values(List<String> keys) {
    long sizeBytes = keys.stream().mapToLong(key -> 8L + value(key).length).sum();
    if (sizeBytes > REPLY_BYTES) {
      throw new ResourceException(
          "a reply of %s bytes is asked for, and it has %s at most: ask for fewer keys at once"
              .formatted(sizeBytes, REPLY_BYTES));
    }
    WireWriter reply = new WireWriter();
    keys.forEach(key -> reply.shared(value(key)));
    return reply;
  }

  /** Tells {@code client} to stop waiting as soon as all of {@code keys} are there. */
  void await(Client client, List<String> keys) {
    Set<String> missing = new HashSet<>(keys);
    missing.removeIf(space::has);
    waitFor(client, missing);
  }

  /** Counts {@code client} in at {@code key}; all who wait there go on when {@code size} came. */
  void barrier(Client client, String key, long size) {
    if (space.add(key, 1) >= size) {
      wake(key);
      waitFor(client, Set.of());
    } else {
      waitFor(client, new HashSet<>(Set.of(key)));
    }
  }

  /** If something is under {@code key} now, all who miss only that go on. */
  void wake(String key) {
    if (!space.has(key)) {
      return; // a compare-and-set that failed
    }
    for (Client client : waitersByKey.removeAll(key)) {
      found(client, key);
    }
  }

  /** One thing was queued under {@code key}: one client goes on. */
  void wakeOne(String key) {
    Iterator<Client> waiters = waitersByKey.get(key).iterator();
    boolean woken = false;
    while (!woken && waiters.hasNext()) {
      Client client = waiters.next();
      waiters.remove();
      woken = found(client, key);
    }
  }

  /** Drops what {@code client} waits for, if it waits. */
  void forget(Client client) {
    Set<String> missing = missingByClient.remove(client);
    if (missing != null) {
      missing.forEach(key -> waitersByKey.remove(key, client));
      missing.forEach(key -> budget.release(WAIT_BYTES + key.length()));
    }
  }

  private void waitFor(Client client, Set<String> missing) {
    if (missingByClient.containsKey(client)) {
      throw new CorruptException("a second wait before the end of the first");
    }
    if (missing.isEmpty()) {
      stopWaiting(client);
      return;
    }
    budget.reserve(missing.stream().mapToLong(key -> WAIT_BYTES + key.length()).sum());
    missingByClient.put(client, missing);
    missing.forEach(key -> waitersByKey.put(key, client));
  }

  private boolean found(Client client, String key) {
    Set<String> missing = missingByClient.get(client);
    missing.remove(key);
    budget.release(WAIT_BYTES + key.length());
    if (!missing.isEmpty()) {
      return false;
    }
    missingByClient.remove(client);
    stopWaiting(client);
    return true;
  }

  private static void stopWaiting(Client client) {
    client.reply(new WireWriter().u8(StoreProtocol.STOP_WAITING));
  }

  private byte[] value(String key) {
    return space.get(key).orElse(new byte[0]);
  }
}
