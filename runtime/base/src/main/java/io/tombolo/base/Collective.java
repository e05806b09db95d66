package io.tombolo.base;

import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The operations a communicator offers, or that a vendor library may declare.
 *
 * <p>Those that end in {@code _V} move another number of elements for each rank (or pair of ranks).
 */
public enum Collective {
  ALL_REDUCE(0),
  REDUCE(1),
  BROADCAST(2),
  ALL_GATHER(3),
  REDUCE_SCATTER(4),
  SEND(5),
  RECEIVE(6),
  ALL_TO_ALL(7),
  GATHER(8),
  SCATTER(9),
  BARRIER(10),
  ALL_GATHER_V(11),
  REDUCE_SCATTER_V(12),
  GATHER_V(13),
  SCATTER_V(14),
  ALL_TO_ALL_V(15),
  /** A group of sends and receives of one rank. */
  EXCHANGE(16);

  private final int code;
  private final String text = name().toLowerCase(Locale.ROOT);

  Collective(int code) {
    this.code = code;
  }

  /** The number that stands for this operation on our wire. */
  public int code() {
    return code;
  }

  /** Whether elements are combined, so that a call has an operator. */
  public boolean isReducing() {
    return switch (this) {
      case ALL_REDUCE, REDUCE, REDUCE_SCATTER, REDUCE_SCATTER_V -> true;
      default -> false;
    };
  }

  /** Whether one rank is the source or the only destination, so that a call has a root. */
  public boolean isRooted() {
    return switch (this) {
      case REDUCE, BROADCAST, GATHER, SCATTER, GATHER_V, SCATTER_V -> true;
      default -> false;
    };
  }

  /** Whether a call has a count for each rank instead of one for all. */
  public boolean isUneven() {
    return even() != this;
  }

  /**
   * The operation with equal counts that this one is without its {@code _V}; itself if it has none.
   */
  public Collective even() {
    return switch (this) {
      case ALL_GATHER_V -> ALL_GATHER;
      case REDUCE_SCATTER_V -> REDUCE_SCATTER;
      case GATHER_V -> GATHER;
      case SCATTER_V -> SCATTER;
      case ALL_TO_ALL_V -> ALL_TO_ALL;
      default -> this;
    };
  }

  /** Whether it joins two ranks, while the others need not take part. */
  public boolean isPointToPoint() {
    return this == SEND || this == RECEIVE || this == EXCHANGE;
  }

  /** The lower-case name used on command lines, in JSON and in messages: {@code all_reduce}. */
  public String text() {
    return text;
  }

  /**
   * The operation called {@code text}, in any letter case; a {@link UsageException} names the
   * choices.
   */
  public static Collective parse(String text) {
    return Arrays.stream(values())
        .filter(collective -> collective.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no operation is called '"
                        + text
                        + "'; choose one of "
                        + String.join(
                            ", ", Arrays.stream(values()).map(Collective::text).toList())));
  }
}
