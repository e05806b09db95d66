// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Who has met. Of each rank the {@link RankBundle} has how many milliseconds it may take to join
 * (u32), and its descriptor.
 *
 * @param ranks the descriptors by rank
 * @param limit the longest that one of them may take to join
 */
public record Roster(ImmutableList<RankDescriptor> ranks, Duration limit) {

  /** What a rank gives. */
  static byte[] entry(RankDescriptor descriptor, Duration limit) {
    byte[] bytes = DescriptorCodec.encode(descriptor);
    int limitMs = (int) Math.min(Integer.MAX_VALUE, limit.toMillis());
    return buffer(new byte[Integer.BYTES + bytes.length]).putInt(limitMs).put(bytes).array();
  }

  /**
   * The roster of {@code size} ranks in {@code bundle}; a {@link CorruptException} if it is none.
   */
  public static Roster read(int size, byte[] bundle) {
    List<byte[]> entries = RankBundle.all(new GatherTree(size), bundle);
    SharedValues shared = new SharedValues();
    ImmutableList.Builder<RankDescriptor> ranks = ImmutableList.builder();
    int limitMs = 0;
    for (int rank = 0; rank < size; rank++) {
      byte[] entry = entries.get(rank);
      if (entry.length < Integer.BYTES) {
        throw new CorruptException("rank " + rank + " gave " + entry.length + " bytes of itself");
      }
      limitMs = Math.max(limitMs, buffer(entry).getInt());
      byte[] descriptor = Arrays.copyOfRange(entry, Integer.BYTES, entry.length);
      ranks.add(shared.of(DescriptorCodec.decode(descriptor, "rank " + rank)));
    }
    return new Roster(ranks.build(), Duration.ofMillis(limitMs));
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
