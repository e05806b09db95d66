// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import io.tombolo.base.Primitive;
import io.tombolo.topology.Cluster;

/**
 * What of a plan must be the same on all ranks: how the call is carried out, and how it is cut and
 * divided. A rank's own steps are no part of it, nor what is each rank's own business: whether its
 * call is in place, and the {@linkplain Reach reach} of its NIC.
 *
 * @param way how the call is carried out
 * @param digest of that, of the size of the segments, and of the clusters and relays as the call
 *     sees them
 */
public record Scheme(Way way, long digest) {
  /** Of a job of one rank. */
  static final Scheme ALONE = new Scheme(Way.ALONE, 0);

  private static final HashFunction DIGEST = Hashing.farmHashFingerprint64();

  /** The sorts of plans. */
  public enum Way {
    /** Each call of a group in its own way. */
    SEVERAL(0, "calls of several sorts"),
    /** Nobody else is there. */
    ALONE(1, "a copy"),
    /** One call of the library that joins the ranks of all clusters. */
    FLAT(2, "one call of the host library"),
    /** One call of the library of the only cluster. */
    WHOLE(3, "one call of the vendor's library"),
    /** By {@link Algorithm#PIECES}. */
    PIECES(4, "pieces"),
    /** By {@link Algorithm#DIRECT}. */
    DIRECT(5, "direct"),
    /** By {@link Algorithm#DOUBLING}. */
    DOUBLING(6, "doubling");

    private final int code;
    private final String text;

    Way(int code, String text) {
      this.code = code;
      this.text = text;
    }

    private static Way of(Algorithm algorithm) {
      return switch (algorithm) {
        case PIECES -> PIECES;
        case DIRECT -> DIRECT;
        case DOUBLING -> DOUBLING;
      };
    }

    private static Way of(Action.Members members) {
      return switch (members) {
        case EVERYONE -> FLAT;
        case CLUSTER -> WHOLE;
      };
    }

    /** The number that stands for this way on our wire. */
    public int code() {
      return code;
    }

    /** What a call is planned as, for people. */
    public String text() {
      return text;
    }
  }

  /** One call of the library that brings {@code members} together. */
  static Scheme through(Action.Members members, Primitive primitive) {
    return new Scheme(Way.of(members), DIGEST.hashString(primitive.name(), UTF_8).asLong());
  }

  /** Between clusters, in segments of {@code elements}. */
  static Scheme between(Grouping grouping, Algorithm algorithm, long elements) {
    Way way = Way.of(algorithm);
    Hasher digest = DIGEST.newHasher().putInt(way.code()).putLong(elements);
    for (Cluster cluster : grouping.clusters()) {
      cluster.ranks().forEach(digest::putInt);
      digest.putString(grouping.relays(cluster).toString(), UTF_8);
    }
    return new Scheme(way, digest.hash().asLong());
  }
}
