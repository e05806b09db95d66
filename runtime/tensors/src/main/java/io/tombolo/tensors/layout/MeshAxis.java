// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.primitives.ImmutableLongArray;

/** What the ranks along one axis of a mesh do with a tensor: torch's placements. */
public sealed interface MeshAxis {
  /** Ranks along the axis. */
  int size();

  /** All hold the same: {@code Replicate()}. */
  record Replicated(int size) implements MeshAxis {
    /** Checks the size. */
    public Replicated {
      checkSize(size);
    }
  }

  /**
   * Each holds a part of one dimension.
   *
   * @param dim the dimension
   * @param parts how it is parted
   * @param strided whether the axes after this one part the dimension first, as {@code
   *     _StridedShard} has it
   */
  record Sharded(int dim, Parts parts, boolean strided) implements MeshAxis {
    /** Checks the dimension. */
    public Sharded {
      checkArgument(dim >= 0, "dimension %s", dim);
    }

    @Override
    public int size() {
      return parts.size();
    }
  }

  /** How a dimension is parted. */
  sealed interface Parts {
    /** The number of parts. */
    int size();

    /** Where part {@code index} of {@code length} begins; part {@link #size} begins at the end. */
    long begin(int index, long length);
  }

  /**
   * Into as many parts of ⌈length / size⌉ as there are, then what is left, then nothing: {@code
   * Shard()}, which parts as {@code torch.chunk} does.
   */
  record Chunks(int size) implements Parts {
    /** Checks the size. */
    public Chunks {
      checkSize(size);
    }

    @Override
    public long begin(int index, long length) {
      long chunk = length / size + (length % size == 0 ? 0 : 1);
      return Math.min(length, Math.multiplyExact(chunk, (long) index));
    }
  }

  /** Into parts of these lengths. */
  record Lengths(ImmutableLongArray lengths) implements Parts {
    /** Checks that there are parts. */
    public Lengths {
      checkSize(lengths.length());
    }

    @Override
    public int size() {
      return lengths.length();
    }

    @Override
    public long begin(int index, long length) {
      long all = lengths.stream().sum();
      checkArgument(all == length, "parts of %s in all for a length of %s", all, length);
      return lengths.subArray(0, index).stream().sum();
    }
  }

  private static void checkSize(int size) {
    checkArgument(size > 0, "an axis needs at least one rank, not %s", size);
  }
}
