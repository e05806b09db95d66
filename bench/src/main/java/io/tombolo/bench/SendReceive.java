// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.plan.BusFactor;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.util.List;

/**
 * Each rank sends a vector to the next in a {@link Ring}, and receives one from the rank before, in
 * one exchange; as {@code rank} sees it.
 *
 * @param ring who is whose neighbour
 * @param rank whose view it is
 * @param next where its vector goes
 * @param previous whose vector comes
 */
record SendReceive(Ring ring, int rank, int next, int previous) implements Operation {
  /** The name used on command lines. */
  static final String NAME = "send_receive";

  static SendReceive of(Ring ring, int rank) {
    return new SendReceive(ring, rank, ring.next(rank), ring.previous(rank));
  }

  @Override
  public Operation at(int other) {
    return of(ring, other);
  }

  @Override
  public boolean isReducing() {
    return false;
  }

  @Override
  public long block(long elements) {
    return elements;
  }

  @Override
  public long total(long block) {
    return block;
  }

  @Override
  public long sendCount(long block) {
    return block;
  }

  @Override
  public ImmutableList<Part> expected(long block) {
    return ImmutableList.of(new Part(0, block, previous, 1, 0));
  }

  @Override
  public CollectiveCall call(long block, DataType type, ReduceOp op, boolean inPlace) {
    Layout sends = new Layout.One(next, block);
    Layout receives = new Layout.One(previous, block);
    return CollectiveCall.exchange(new Layout.Pairwise(sends, receives), type);
  }

  @Override
  public Work start(
      Communicator communicator,
      CollectiveCall call,
      DeviceBuffer from,
      DeviceBuffer to,
      CallOptions options,
      Stream stream) {
    long block = call.layout().sends().count(next);
    Message send = Message.send(from.slice(0, block), next);
    Message receive = Message.receive(to.slice(0, block), previous);
    return communicator.exchange(List.of(send, receive), options, stream);
  }

  @Override
  public int lastWithResult() {
    return ring.size() - 1;
  }

  /** What a rank sends would lie where what it receives belongs. */
  @Override
  public boolean canBeInPlace() {
    return false;
  }

  @Override
  public long sendOffset(long block) {
    return 0;
  }

  @Override
  public long receiveOffset(long block) {
    return 0;
  }

  @Override
  public double busFactor() {
    return BusFactor.ONE.among(ring.size());
  }
}
