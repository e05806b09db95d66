// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a key-value store of the program around this one has to do, so that ranks can meet in it:
 * torch's {@code Store}, for example. {@link CallbackStore} makes a {@link Store} of it.
 *
 * <p>Called by several threads at once, those of several communicators among them. No call but
 * {@link #await} waits for what another rank does. Keys are text of at most 8 KiB in UTF-8, values
 * at most 8 MiB, an empty one among them; arrays belong to whom they are passed. Once {@link #set},
 * {@link #add} or {@link #compareSet} has returned, every process sees the value. What a call
 * throws ends the communicators that meet there, as the loss of a store does.
 *
 * <p>Two things may be missing, and their default says so:
 *
 * <ul>
 *   <li>{@link #await}: waits then look again and again, at first every millisecond, later every
 *       quarter of a second. Joining takes up to a quarter longer, each rank asks for a key or two
 *       four times a second as long as it lives, and what fails elsewhere is heard of a quarter of
 *       a second later.
 *   <li>{@link #delete}: what communicators leave behind, stays: about 2 KB for each rank of each
 *       group, until the store itself ends. Generations keep it from being mistaken for news.
 * </ul>
 *
 * <p>The others may not: without {@link #compareSet} nobody could tell which of two processes is
 * the rank that both say they are, nor which of two failures was the first.
 */
public interface StoreCallbacks {

  /** Stores {@code value} under {@code key}, in place of what was there. */
  void set(String key, byte[] value);

  /**
   * The value under {@code key} now, if there is one; does not wait. (Torch's {@code get} does, and
   * a key may be removed after {@code check} has seen it: torch's {@code compare_set} of a value
   * that nobody stores tells both at once.)
   */
  Optional<byte[]> get(String key);

  /**
   * Adds {@code delta} to the decimal number under {@code key}, 0 if missing; the new number. No
   * two calls may give the same number for the same sum of deltas.
   */
  long add(String key, long delta);

  /**
   * Replaces {@code expected} by {@code desired} in one step that no other process comes between;
   * an empty {@code expected} also stands for a missing key. The value after the call; {@code
   * expected} where the key is missing and {@code expected} not empty.
   */
  byte[] compareSet(String key, byte[] expected, byte[] desired);

  /**
   * Returns as soon as something is under {@code key}, or after {@code limit} at the latest: a
   * quarter of a second at most. Only for stores in which a wait holds up no other thread's call:
   * torch's {@code TCPStore} locks its connection for as long as it waits. This one sleeps for
   * {@code limit}.
   */
  default void await(String key, Duration limit) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(limit.toNanos());
  }

  /** Removes {@code key}; whether it was there. This one leaves it, and says that it was not. */
  default boolean delete(String key) {
    return false;
  }

  /** Where the store is, for messages: {@code torch's store at 10.0.0.1:29500}. */
  String where();
}
