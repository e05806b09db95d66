// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import com.google.common.hash.Hashing;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.runtime.store.Store;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes sure that all ranks hold the same facts before they rely on it. Used once, by one thread.
 */
public final class Agreement {
  private static final String ROOM = "agreement/";

  /** Two ranks that differ have so long at least to say in what. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final String ABSENT = "nothing";

  private final Store room;
  private final String name;
  private final int rank;
  private final SortedMap<String, String> facts;
  private final Deadline deadline;
  private final TreeGathering gathering;

  private Agreement(
      Store room,
      String name,
      int rank,
      SortedMap<String, String> facts,
      Deadline deadline,
      TreeGathering gathering) {
    this.room = room;
    this.name = name;
    this.rank = rank;
    this.facts = facts;
    this.deadline = deadline;
    this.gathering = gathering;
  }

  /**
   * Compares {@code facts} across all ranks: digests first, the facts themselves only where they
   * differ.
   *
   * @param name what is agreed on; once per job
   * @return the SHA-256 digest of the facts, the same on every rank
   * @throws MismatchException on every rank, naming the first rank that differs from rank 0, the
   *     first key, and both values
   * @throws DeadlineExceededException naming the ranks that did not come
   */
  public static byte[] check(
      Store store,
      String name,
      int rank,
      int size,
      SortedMap<String, String> facts,
      Deadline deadline) {
    return begin(store, name, rank, size, facts, deadline).await();
  }

  /** Says what this rank holds; blocks until those have whose digests go with it. */
  public static Agreement begin(
      Store store,
      String name,
      int rank,
      int size,
      SortedMap<String, String> facts,
      Deadline deadline) {
    Store room = room(store, name);
    byte[] digest = digest(facts);
    GatherTree tree = new GatherTree(size);
    Occasion occasion = Occasion.ofJob("agreement on " + name, store, size);
    TreeGathering gathering = new TreeGathering(room, rank, size, occasion, deadline);
    gathering.give(below -> Opinion.of(tree, rank, digest, below).encode());
    return new Agreement(room, name, rank, facts, deadline, gathering);
  }

  /** The digest, as {@link #check}; blocks until all have said theirs. */
  public byte[] await() {
    Opinion all = Opinion.decode(gathering.await(), "rank 0");
    if (all.odd() >= 0) {
      throw difference(all.odd());
    }
    return all.digest();
  }

  /** Who of {@code size} ranks has not said its part about {@code name}. */
  public static ImmutableList<Integer> missing(Store store, String name, int size) {
    return Turnout.of(room(store, name), new GatherTree(size)).missing();
  }

  private static Store room(Store store, String name) {
    return store.within(ROOM + name);
  }

  /** The two that differ say in what: nobody else's facts need be in the store. */
  private MismatchException difference(int odd) {
    Store details = room.within("facts");
    if (rank == 0 || rank == odd) {
      details.set(Integer.toString(rank), encode(facts));
    }
    List<byte[]> both;
    try {
      Deadline patience = Deadline.after(PATIENCE).stretchedTo(left());
      both = details.awaitAll(List.of("0", Integer.toString(odd)), patience);
    } catch (DeadlineExceededException e) {
      return new MismatchException(
          "the ranks do not agree on %s: rank %s differs from rank 0, and one of them has not said in what; look at their output"
              .formatted(name, odd),
          e);
    }
    return differenceOf(name, odd, decode(both.get(0), 0), decode(both.get(1), odd));
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, deadline.remainingNs()));
  }

  private static MismatchException differenceOf(
      String name, int rank, Map<String, String> first, Map<String, String> theirs) {
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
        "the digests of %s differ between rank 0 and rank %s, but not the facts; run the same build everywhere"
            .formatted(name, rank));
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
