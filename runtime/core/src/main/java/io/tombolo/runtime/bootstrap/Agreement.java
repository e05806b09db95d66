// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.Sets;
import com.google.common.hash.Hashing;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Makes sure that all ranks hold the same facts before they rely on it. */
public final class Agreement {
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final String ABSENT = "nothing";

  private Agreement() {}

  /**
   * Compares {@code facts} across all ranks: digests first, the facts themselves only where they
   * differ.
   *
   * @param name what is agreed on; once per job
   * @return the SHA-256 digest of the facts, the same on every rank
   * @throws MismatchException on every rank, naming the first rank that differs from rank 0, the
   *     first key, and both values
   * @throws io.tombolo.base.errors.DeadlineExceededException naming the ranks that did not come
   */
  public static byte[] check(
      Store store,
      String name,
      int rank,
      int size,
      SortedMap<String, String> facts,
      Deadline deadline) {
    Store details = store.within("agreement/" + name + "/facts");
    Store digests = store.within("agreement/" + name + "/digest");
    byte[] mine = digest(facts);
    if (!facts.isEmpty()) {
      details.set(Integer.toString(rank), encode(facts));
    }
    digests.set(Integer.toString(rank), mine);
    List<byte[]> all = new RollCall(digests, rank, size, "agreement on " + name).await(deadline);
    for (int other = 1; other < size; other++) {
      if (!Arrays.equals(all.get(0), all.get(other))) {
        throw difference(details, name, other);
      }
    }
    return mine;
  }

  /** Whether one of {@code size} ranks has said its part about {@code name}. */
  public static boolean hasBegun(Store store, String name, int size) {
    Store digests = store.within("agreement/" + name + "/digest");
    return IntStream.range(0, size)
        .anyMatch(rank -> digests.get(Integer.toString(rank)).isPresent());
  }

  /** Who of {@code size} ranks has not said its part about {@code name}. */
  public static List<Integer> missing(Store store, String name, int size) {
    Store digests = store.within("agreement/" + name + "/digest");
    return IntStream.range(0, size)
        .filter(rank -> digests.get(Integer.toString(rank)).isEmpty())
        .boxed()
        .toList();
  }

  /** Removes what all {@code size} ranks have said about {@code name}: all have heard it. */
  public static void forget(Store store, String name, int size) {
    Store digests = store.within("agreement/" + name + "/digest");
    for (int rank = 0; rank < size; rank++) {
      digests.delete(Integer.toString(rank));
    }
  }

  private static MismatchException difference(Store details, String name, int rank) {
    Map<String, String> theirs = factsOf(details, rank);
    Map<String, String> first = factsOf(details, 0);
    for (String key : Sets.union(first.keySet(), theirs.keySet()).stream().sorted().toList()) {
      String left = first.getOrDefault(key, ABSENT);
      String right = theirs.getOrDefault(key, ABSENT);
      if (!left.equals(right)) {
        return new MismatchException(
            "the ranks do not agree on %s: '%s' is '%s' on rank 0 and '%s' on rank %s; make it the same"
                    .formatted(name, key, left, right, rank)
                + " everywhere");
      }
    }
    return new MismatchException(
        "the digests of %s differ between rank 0 and rank %s, but not the facts"
            .formatted(name, rank));
  }

  /** They were there before the digest. */
  private static SortedMap<String, String> factsOf(Store details, int rank) {
    return decode(details.get(Integer.toString(rank)).orElse(new byte[0]), rank);
  }

  private static byte[] digest(SortedMap<String, String> facts) {
    return Hashing.sha256().hashBytes(encode(facts)).asBytes();
  }

  private static byte[] encode(SortedMap<String, String> facts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    facts.forEach(
        (key, value) -> {
          Tlv.put(out, KEY, key.getBytes(UTF_8));
          Tlv.put(out, VALUE, value.getBytes(UTF_8));
        });
    return out.toByteArray();
  }

  private static SortedMap<String, String> decode(byte[] bytes, int rank) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Tlv.Fields fields = Tlv.read(in, "the facts of rank " + rank);
    List<byte[]> keys = fields.all(KEY);
    List<byte[]> values = fields.all(VALUE);
    SortedMap<String, String> facts = new TreeMap<>();
    for (int i = 0; i < Math.min(keys.size(), values.size()); i++) {
      facts.put(new String(keys.get(i), UTF_8), new String(values.get(i), UTF_8));
    }
    return facts;
  }
}
