// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The operations a communicator offers, each with its row, which says all there is to know of it.
 *
 * <p>Those that end in {@code _V} move another number of elements for each rank (or pair of ranks).
 */
@SuppressWarnings("ImmutableEnumChecker") // rows have no fields, or final ones of records
public enum Collective {
  ALL_REDUCE(0, new AllReduceRow()),
  REDUCE(1, new ReduceRow()),
  BROADCAST(2, new BroadcastRow()),
  ALL_GATHER(3, new AllGatherRow()),
  REDUCE_SCATTER(4, new ReduceScatterRow()),
  ALL_TO_ALL(7, new AllToAllRow()),
  GATHER(8, new GatherRow()),
  SCATTER(9, new ScatterRow()),
  BARRIER(10, new BarrierRow()),
  ALL_GATHER_V(11, ALL_GATHER),
  REDUCE_SCATTER_V(12, REDUCE_SCATTER),
  GATHER_V(13, GATHER),
  SCATTER_V(14, SCATTER),
  ALL_TO_ALL_V(15, ALL_TO_ALL),
  /** A group of sends and receives of one rank. */
  EXCHANGE(16, new ExchangeRow()),
  SCAN(17, new PrefixRow(true)),
  /** As {@link #SCAN}, without a rank's own elements: rank 0 gets nothing. */
  EXSCAN(18, new PrefixRow(false));

  private static final ImmutableMap<Integer, Collective> BY_CODE =
      Maps.uniqueIndex(Arrays.asList(values()), Collective::code);

  private final int code;
  private final Collective even;
  private final OperationRow row;
  private final Signature signature;
  private final String text = name().toLowerCase(Locale.ROOT);

  Collective(int code, OperationRow row) {
    this.code = code;
    this.even = this;
    this.row = row;
    this.signature = row.signature();
  }

  Collective(int code, Collective even) {
    this.code = code;
    this.even = even;
    this.row = even.row;
    this.signature = even.signature;
  }

  /** The number that stands for this operation on our wire. */
  public int code() {
    return code;
  }

  /** The operation that {@code code} stands for on our wire. */
  public static Optional<Collective> ofCode(int code) {
    return Optional.ofNullable(BY_CODE.get(code));
  }

  /** What is known of it. */
  OperationRow row() {
    return row;
  }

  /** What its ranks give and get. */
  public Signature signature() {
    return signature;
  }

  /** How data may go between clusters. */
  public ImmutableSet<Algorithm> algorithms() {
    return row.algorithms();
  }

  /** How much of the algorithm's bandwidth the busiest link carries. */
  public BusFactor busFactor() {
    return row.busFactor();
  }

  /** Whether elements are combined, so that a call has an operator. */
  public boolean isReducing() {
    return signature.reduces();
  }

  /** Whether one rank is the source or the only destination, so that a call has a root. */
  public boolean isRooted() {
    return signature.isRooted();
  }

  /** Whether a call has a count for each rank instead of one for all. */
  public boolean isUneven() {
    return even != this;
  }

  /**
   * The operation with equal counts that this one is without its {@code _V}; itself if it has none.
   */
  public Collective even() {
    return even;
  }

  /** Whether it joins some ranks, while the others need not take part. */
  public boolean isPointToPoint() {
    return row.isPointToPoint();
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
