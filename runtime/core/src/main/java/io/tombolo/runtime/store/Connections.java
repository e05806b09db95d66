// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Who is connected to a store: clients that have shown who they are, and strangers, who have yet to
 * do so and may take as long as they like, as nobody knows how crowded their machine is. Each sort
 * has a limit of its own. When there are too many strangers, the one goes that has said nothing for
 * longest, and only if all have spoken the one that came first: so those who only hold a place keep
 * nobody out. Not thread-safe.
 */
final class Connections {
  /**
   * How many of each there may be.
   *
   * @param clients that have shown who they are; a rank has two connections
   * @param strangers that have not
   */
  record Limits(int clients, int strangers) {}

  private static final int LEAST_PRUNED = 64;

  private final Limits limits;
  private final Set<Connection> strangers = new LinkedHashSet<>();
  private final Set<Connection> clients = new LinkedHashSet<>();
  private int evicted;
  private int pruneAt = LEAST_PRUNED;

  Connections(Limits limits) {
    this.limits = limits;
  }

  /** Somebody has come; makes room for one more stranger. */
  void greet(Connection stranger) {
    strangers.add(stranger);
    if (strangers.size() > limits.strangers()) {
      settle();
    }
    if (strangers.size() > limits.strangers()) {
      evictOne();
    }
  }

  /** Whether one more stranger that has shown who it is may stay. */
  boolean hasRoom() {
    if (strangers.size() + clients.size() > limits.clients()) {
      settle();
      prune();
    }
    return clients.size() < limits.clients();
  }

  /** How many clients there may be, for messages. */
  int clientLimit() {
    return limits.clients();
  }

  /** Ends a stranger's connection; false if there is none. */
  boolean evictOne() {
    Optional<Connection> unwanted =
        first(each -> !each.hasSpoken() && each.isAlive()).or(() -> first(each -> !each.isOpen()));
    unwanted.ifPresent(
        stranger -> {
          strangers.remove(stranger);
          stranger.evict(++evicted);
        });
    return unwanted.isPresent();
  }

  private Optional<Connection> first(Predicate<Connection> wanted) {
    return List.copyOf(strangers).stream().filter(Connection::isAlive).filter(wanted).findFirst();
  }

  /** Those who have shown who they are since the last time are clients now. */
  private void settle() {
    for (Iterator<Connection> each = strangers.iterator(); each.hasNext(); ) {
      Connection stranger = each.next();
      if (!stranger.isAlive() || stranger.isOpen()) {
        each.remove();
        clients.add(stranger);
      }
    }
    if (clients.size() >= pruneAt) {
      prune();
    }
  }

  /** Forgets clients that have gone; so seldom that those who come cost little, however many. */
  private void prune() {
    clients.removeIf(client -> !client.isAlive());
    pruneAt = Math.max(LEAST_PRUNED, 2 * clients.size());
  }

  /** How many there are of both sorts. */
  int count() {
    settle();
    return strangers.size() + clients.size();
  }

  void closeAll() {
    strangers.forEach(Connection::close);
    clients.forEach(Connection::close);
  }
}
