// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Another store in which everyone can write, read with suspicion: every value carries its {@link
 * JobToken#seal}, and one without is a {@link CorruptException} that names the key.
 *
 * <p>A seal binds a value to its key and job. It does not hide the value, and it does not stop an
 * intruder from deleting a value or putting an older one back.
 */
public final class SealedStore implements Store {
  private static final byte[] NOTHING = {};
  private static final int SEAL_BYTES = JobToken.SIZE_BYTES;
  private static final int NONCE_BYTES = 16;
  private static final int ATTEMPTS = 10_000;

  private final Store store;
  private final JobToken token;

  /** Seals what goes into {@code store}, checks what comes out, and closes it when closed. */
  public SealedStore(Store store, JobToken token) {
    this.store = store;
    this.token = token;
  }

  @Override
  public void set(String key, byte[] value) {
    store.set(key, sealed(key, value));
  }

  @Override
  public Optional<byte[]> get(String key) {
    return store.get(key).map(bytes -> opened(key, bytes));
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    Iterator<byte[]> values = store.awaitAll(keys, deadline).iterator();
    return keys.stream()
        .map(key -> opened(key, values.next()))
        .collect(ImmutableList.toImmutableList());
  }

  /** As {@link Store#add}, by compare-and-set: the store itself cannot add sealed numbers. */
  @Override
  public long add(String key, long delta) {
    return number(
        replace(key, before -> Optional.of(Long.toString(number(before) + delta).getBytes(UTF_8))));
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    return replace(
            key,
            before ->
                Arrays.equals(before.orElse(NOTHING), expected)
                    ? Optional.of(desired)
                    : Optional.empty())
        .orElseGet(expected::clone);
  }

  @Override
  public boolean delete(String key) {
    return store.delete(key);
  }

  @Override
  public void endWaits(String why) {
    store.endWaits(why);
  }

  @Override
  public Store borrowed() {
    return new SealedStore(store.borrowed(), token);
  }

  @Override
  public String where() {
    return store.where();
  }

  @Override
  public void close() {
    store.close();
  }

  /**
   * Puts what {@code change} makes of the present value in its place, or leaves it if that is
   * empty; returns the value after that. The nonce in every write tells our own success from
   * another process that happened to write the same value.
   */
  private Optional<byte[]> replace(String key, UnaryOperator<Optional<byte[]>> change) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<byte[]> before = store.get(key);
      Optional<byte[]> value = before.map(bytes -> opened(key, bytes));
      Optional<byte[]> desired = change.apply(value);
      if (desired.isEmpty()) {
        return value;
      }
      byte[] ours = sealed(key, desired.get());
      if (Arrays.equals(store.compareSet(key, before.orElse(NOTHING), ours), ours)) {
        return desired;
      }
    }
    throw new ResourceException("others change '" + key + "' in " + where() + " all the time");
  }

  private byte[] sealed(String key, byte[] value) {
    byte[] nonce = Arrays.copyOf(JobToken.nonce(), NONCE_BYTES);
    return Bytes.concat(token.seal(key, Bytes.concat(nonce, value)), nonce, value);
  }

  private byte[] opened(String key, byte[] sealed) {
    if (sealed.length >= SEAL_BYTES + NONCE_BYTES) {
      byte[] seal = Arrays.copyOf(sealed, SEAL_BYTES);
      byte[] rest = Arrays.copyOfRange(sealed, SEAL_BYTES, sealed.length);
      if (MessageDigest.isEqual(seal, token.seal(key, rest))) {
        return Arrays.copyOfRange(rest, NONCE_BYTES, rest.length);
      }
    }
    throw new CorruptException(
        "'"
            + key
            + "' in "
            + where()
            + " was not written by this job: its seal does not fit; look for"
            + " another job that uses the same store, or for an intruder");
  }

  private static long number(Optional<byte[]> text) {
    return text.map(digits -> Long.parseLong(new String(digits, UTF_8))).orElse(0L);
  }
}
