// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import java.util.Collection;
import java.util.Optional;

/**
 * A small key-value store that all processes of a job share, for meeting and agreeing; not for
 * data.
 *
 * <p>Thread-safe. Keys are text of at most 8 KiB in UTF-8, values are at most 8 MiB; more is a
 * {@link io.tombolo.base.errors.UsageException}. Arrays given and returned belong to the caller.
 * Operations of one connection take effect in their order; {@link #set} has no answer, so others
 * may see it a moment after it returned. When the store itself is lost, every operation fails with
 * a {@link io.tombolo.base.errors.PeerFailedException} that says where it was.
 */
public interface Store extends AutoCloseable {

  /** Stores {@code value} under {@code key}, in place of what was there. */
  void set(String key, byte[] value);

  /** The value under {@code key} now, if there is one. */
  Optional<byte[]> get(String key);

  /**
   * The value under {@code key}, as soon as there is one.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException naming the key, if nobody set it in
   *     time
   */
  default byte[] await(String key, Deadline deadline) {
    return awaitAll(ImmutableList.of(key), deadline).get(0);
  }

  /**
   * The values under {@code keys}, in that order, as soon as all of them are there.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException naming the keys that were not set in
   *     time
   */
  ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline);

  /** Adds {@code delta} to the decimal number under {@code key}, 0 if missing; the new number. */
  long add(String key, long delta);

  /**
   * Replaces {@code expected} by {@code desired}; an empty {@code expected} also stands for a
   * missing key. Returns the value after the call. A missing key with an {@code expected} that is
   * not empty stays missing and gives {@code expected} back: torch's rule, kept so that all stores
   * agree.
   */
  byte[] compareSet(String key, byte[] expected, byte[] desired);

  /** Removes {@code key}; whether it was there. */
  boolean delete(String key);

  /**
   * Ends all waits of this connection, those to come included, with a {@link
   * io.tombolo.base.errors.PeerFailedException} that says why: there is nothing to wait for any
   * more. Everything else goes on. Does not block.
   */
  void endWaits(String why);

  /** Where this store is, for messages: {@code the store at 10.0.0.1:4242}. */
  String where();

  /**
   * A view in which every key is preceded by {@code prefix} and a slash; closing it does nothing.
   */
  default Store within(String prefix) {
    return new PrefixStore(this, prefix, () -> {});
  }

  /** As {@link #within}, in place of this store: closing it closes this one. */
  default Store narrowedTo(String prefix) {
    return new PrefixStore(this, prefix, this::close);
  }

  /**
   * A view for one who is lent this store: {@link #endWaits} and {@link #close} concern the waits
   * that are made through it, and nobody else's.
   */
  default Store borrowed() {
    return new BorrowedStore(this);
  }

  @Override
  void close();
}
