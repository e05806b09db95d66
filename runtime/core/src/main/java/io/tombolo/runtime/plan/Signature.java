// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * What an operation's ranks give and get.
 *
 * @param input each rank's input
 * @param output each rank's output
 * @param source whose elements the output is made of
 */
public record Signature(Side input, Side output, Source source) {

  /** What a buffer holds. */
  public enum Content {
    /** Nothing at all. */
    NOTHING,
    /** The vector, which has the same places on all ranks. */
    VECTOR,
    /** This rank's block. */
    BLOCK,
    /** A block for, or from, every rank. */
    BLOCKS
  }

  /** Which ranks have a buffer. */
  public enum Holder {
    /** All. */
    EVERYONE,
    /** The root alone. */
    ROOT,
    /** All but rank 0, before which no rank is. */
    ALL_BUT_FIRST
  }

  /** Whose elements an element of the output is made of. */
  public enum Source {
    /** Of a block, the rank's that sent it. */
    SENDER,
    /** The root's. */
    ROOT,
    /** All ranks', combined. */
    EVERYONE,
    /** Those of all ranks up to this one, combined. */
    UP_TO_SELF,
    /** Those of all ranks before this one, combined. */
    BEFORE_SELF;

    /** Whether elements are combined. */
    public boolean combines() {
      return switch (this) {
        case SENDER, ROOT -> false;
        case EVERYONE, UP_TO_SELF, BEFORE_SELF -> true;
      };
    }

    /** Whether it matters which rank comes before which. */
    public boolean isOrdered() {
      return switch (this) {
        case SENDER, ROOT, EVERYONE -> false;
        case UP_TO_SELF, BEFORE_SELF -> true;
      };
    }
  }

  /**
   * One sort of buffer.
   *
   * @param content what it holds
   * @param holder which ranks have it
   */
  public record Side(Content content, Holder holder) {
    /** {@code content} on every rank. */
    static Side of(Content content) {
      return new Side(content, Holder.EVERYONE);
    }

    /** {@code content} at the root, and nothing elsewhere. */
    static Side atRoot(Content content) {
      return new Side(content, Holder.ROOT);
    }

    /** {@code content} on all ranks but the first. */
    static Side butFirst(Content content) {
      return new Side(content, Holder.ALL_BUT_FIRST);
    }

    /** Whether {@code rank} has it. */
    public boolean isAt(int rank, int root) {
      return switch (holder) {
        case EVERYONE -> true;
        case ROOT -> rank == root;
        case ALL_BUT_FIRST -> rank > 0;
      };
    }

    /** Whether it holds a block for, or from, every rank. */
    public boolean spreads() {
      return content == Content.BLOCKS;
    }

    /** Its elements on {@code rank} of {@code size}. */
    long elements(Layout layout, int rank, int root, int size) {
      return !isAt(rank, root)
          ? 0
          : switch (content) {
            case NOTHING -> 0;
            case VECTOR, BLOCK -> layout.count(rank);
            case BLOCKS -> layout.extent(size);
          };
    }
  }

  /** Whether elements are combined. */
  public boolean reduces() {
    return source.combines();
  }

  /**
   * Whether there is an average: all that is combined is of all ranks. A prefix is of another
   * number of them on each rank, and MPI has no average of it either.
   */
  public boolean averages() {
    return source == Source.EVERYONE;
  }

  /** Whether one rank alone gives or gets. */
  public boolean isRooted() {
    return input.holder == Holder.ROOT || output.holder == Holder.ROOT;
  }

  /** Whether it is about one vector, element by element. */
  public boolean isVector() {
    return input.content == Content.VECTOR && output.content == Content.VECTOR;
  }

  /** Whether each pair of ranks has a block of its own. */
  public boolean isPairwise() {
    return input.spreads() && output.spreads();
  }

  /** Whether one buffer holds a block for each rank, and the other is this rank's block. */
  public boolean isBlockOfBlocks() {
    return input.spreads() != output.spreads();
  }

  /**
   * Whether calls can be laid end to end and made as one: element by element, or block by block
   * where copying each block costs less than a call.
   */
  public boolean packs(boolean fewRanks) {
    return isVector() || (fewRanks && isBlockOfBlocks() && !isRooted());
  }

  /** Whether all ranks get the same, so that they must get the same bits. */
  public boolean isSameEverywhere() {
    return source == Source.EVERYONE && output.equals(Side.of(Content.VECTOR));
  }
}
