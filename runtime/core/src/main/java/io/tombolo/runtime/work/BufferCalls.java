// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;

/**
 * Makes calls on buffers, known to be in place or not, and checks that they fit: one type, this
 * process's device, and room for what the operation reads and writes on this rank. A buffer that an
 * operation does not use on this rank, such as the output of a reduce that is not the root's, may
 * be of any size, also {@link DeviceBuffer#none}. Pure; what does not fit is a {@link
 * UsageException} that names both sizes.
 *
 * @param rank this rank
 * @param size number of ranks
 * @param device this process's device
 */
public record BufferCalls(int rank, int size, DeviceAdaptor device) {

  /** Combines everyone's {@code send}; everyone gets the result, the same bits. */
  public PlacedCall allReduce(DeviceBuffer send, DeviceBuffer receive, Reduction reduction) {
    return vector(Collective.ALL_REDUCE, send.count(), send, receive, reduction, 0);
  }

  /** Combines everyone's {@code send}; {@code root} alone gets the result. */
  public PlacedCall reduce(DeviceBuffer send, DeviceBuffer receive, Reduction reduction, int root) {
    return vector(Collective.REDUCE, send.count(), send, receive, reduction, root);
  }

  /**
   * Combines everyone's {@code send} up to each rank's own, in rank order: rank 0 gets its own, the
   * last rank the combination of all. There is no average of these.
   */
  public PlacedCall scan(DeviceBuffer send, DeviceBuffer receive, Reduction reduction) {
    return vector(Collective.SCAN, send.count(), send, receive, reduction, 0);
  }

  /**
   * As {@link #scan}, without a rank's own elements: each gets what all before it combine to. Rank
   * 0 gets nothing, and its {@code receive} is left as it was.
   */
  public PlacedCall exscan(DeviceBuffer send, DeviceBuffer receive, Reduction reduction) {
    return vector(Collective.EXSCAN, send.count(), send, receive, reduction, 0);
  }

  /** Copies {@code root}'s {@code send} to everyone's {@code receive}. */
  public PlacedCall broadcast(DeviceBuffer send, DeviceBuffer receive, int root) {
    return vector(Collective.BROADCAST, receive.count(), send, receive, new Reduction.None(), root);
  }

  /** Gathers everyone's {@code send}, all of one size, in everyone's {@code receive}, by rank. */
  public PlacedCall allGather(DeviceBuffer send, DeviceBuffer receive) {
    return allGather(send, receive, new Layout.Even(send.count()));
  }

  /** Gathers everyone's block, laid out by {@code blocks}, in everyone's {@code receive}. */
  public PlacedCall allGather(DeviceBuffer send, DeviceBuffer receive, Layout blocks) {
    return move(Collective.ALL_GATHER, Collective.ALL_GATHER_V, send, receive, blocks, 0);
  }

  /** Combines everyone's {@code send}; each rank gets a block as long as its {@code receive}. */
  public PlacedCall reduceScatter(DeviceBuffer send, DeviceBuffer receive, Reduction reduction) {
    return reduceScatter(send, receive, new Layout.Even(receive.count()), reduction);
  }

  /** Combines everyone's blocks, laid out by {@code blocks}; each rank gets its own. */
  public PlacedCall reduceScatter(
      DeviceBuffer send, DeviceBuffer receive, Layout blocks, Reduction reduction) {
    return placed(
        CollectiveCall.reduceScatter(blocks, type(send, receive), reduction, false), send, receive);
  }

  /** Gathers everyone's {@code send}, all of one size, in the root's {@code receive}, by rank. */
  public PlacedCall gather(DeviceBuffer send, DeviceBuffer receive, int root) {
    return gather(send, receive, new Layout.Even(send.count()), root);
  }

  /** Gathers everyone's block, laid out by {@code blocks}, in the root's {@code receive}. */
  public PlacedCall gather(DeviceBuffer send, DeviceBuffer receive, Layout blocks, int root) {
    return move(Collective.GATHER, Collective.GATHER_V, send, receive, blocks, root);
  }

  /** Gives each rank a block of the root's {@code send}, as long as its {@code receive}. */
  public PlacedCall scatter(DeviceBuffer send, DeviceBuffer receive, int root) {
    return scatter(send, receive, new Layout.Even(receive.count()), root);
  }

  /** Gives each rank its block of the root's {@code send}, laid out by {@code blocks}. */
  public PlacedCall scatter(DeviceBuffer send, DeviceBuffer receive, Layout blocks, int root) {
    return move(Collective.SCATTER, Collective.SCATTER_V, send, receive, blocks, root);
  }

  /** Gives each rank its equal share of everyone's {@code send}. */
  public PlacedCall allToAll(DeviceBuffer send, DeviceBuffer receive) {
    if (send.count() % size != 0) {
      throw new UsageException(
          "rank %s: all_to_all of %s among %s ranks: the elements do not divide; give a layout"
              .formatted(rank, send, size));
    }
    return allToAll(send, receive, new Layout.Even(send.count() / size));
  }

  /**
   * Gives each rank its block of everyone's {@code send}; with {@link Layout.Pairwise} each rank
   * says what it sends to and receives from each.
   */
  public PlacedCall allToAll(DeviceBuffer send, DeviceBuffer receive, Layout blocks) {
    return move(Collective.ALL_TO_ALL, Collective.ALL_TO_ALL_V, send, receive, blocks, 0);
  }

  private PlacedCall vector(
      Collective collective,
      long count,
      DeviceBuffer send,
      DeviceBuffer receive,
      Reduction reduction,
      int root) {
    return placed(
        CollectiveCall.vector(collective, count, type(send, receive), reduction, root, false),
        send,
        receive);
  }

  private PlacedCall move(
      Collective even,
      Collective uneven,
      DeviceBuffer send,
      DeviceBuffer receive,
      Layout blocks,
      int root) {
    Collective collective = blocks instanceof Layout.Even ? even : uneven;
    return placed(
        CollectiveCall.move(collective, blocks, type(send, receive), root, false), send, receive);
  }

  private static DataType type(DeviceBuffer send, DeviceBuffer receive) {
    if (send.type() != receive.type()) {
      throw new UsageException(
          "%s and %s are of two types; give both buffers one".formatted(send, receive));
    }
    return send.type();
  }

  private PlacedCall placed(CollectiveCall call, DeviceBuffer send, DeviceBuffer receive) {
    PlacedCall.requireCountable(call, rank, size);
    check(call, "reads", send, call.inputElements(rank, size));
    check(call, "writes", receive, call.outputElements(rank, size));
    return new PlacedCall(
        InPlaceCheck.of(call, rank, size, send.address(), receive.address()),
        send.address(),
        receive.address());
  }

  private void check(CollectiveCall call, String does, DeviceBuffer buffer, long elements) {
    if (elements == 0) {
      return;
    }
    if (buffer.count() < elements) {
      throw new UsageException(
          "rank %s: %s %s %s elements, and the buffer has %s"
              .formatted(rank, call, does, elements, buffer.count()));
    }
    BufferCheck.require(rank, call, does, buffer, device);
  }
}
