// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds out from a call's addresses whether it is in place. */
final class InPlaceCheck {
  private final CollectiveCall call;
  private final int rank;
  private final int size;

  /** Bytes of memory from {@code start} up to {@code end}. */
  private record Span(long start, long end) {
    boolean meets(Span other) {
      return start < other.end && other.start < end;
    }
  }

  private InPlaceCheck(CollectiveCall call, int rank, int size) {
    this.call = call;
    this.rank = rank;
    this.size = size;
  }

  /**
   * {@code call}, in place if its buffers share memory the way it allows.
   *
   * @throws UsageException if they overlap otherwise
   */
  static CollectiveCall of(CollectiveCall call, int rank, int size, long send, long receive) {
    return new InPlaceCheck(call, rank, size).of(send, receive);
  }

  private CollectiveCall of(long send, long receive) {
    long inputBytes = bytes(call.inputElements(rank, size));
    long outputBytes = bytes(call.outputElements(rank, size));
    if (inputBytes == 0 || outputBytes == 0) {
      return call;
    }
    long shift = bytes(call.inPlaceOffset(rank));
    if (inputBytes > outputBytes ? receive == send + shift : send == receive + shift) {
      return call.inPlace(true);
    }
    Span input = new Span(send, send + inputBytes);
    Span output = new Span(receive, receive + outputBytes);
    if (input.meets(output) && blocksMeet(send, receive)) {
      throw new UsageException(
          "rank "
              + rank
              + ": "
              + call
              + ": input and output overlap without being in place; give them memory of their own,"
              + " or "
              + (shift == 0 ? "equal addresses" : "addresses " + shift + " bytes apart"));
    }
    return call;
  }

  /** Blocks may lie far apart, with other memory between them. */
  private boolean blocksMeet(long send, long receive) {
    List<Span> all = new ArrayList<>(inputs(send));
    all.addAll(outputs(receive));
    all.sort(Comparator.comparingLong(Span::start));
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).meets(all.get(i - 1))) {
        return true;
      }
    }
    return false;
  }

  private List<Span> inputs(long address) {
    return call.collective().signature().input().spreads()
        ? blocks(address, call.layout().sends())
        : List.of(new Span(address, address + bytes(call.inputElements(rank, size))));
  }

  private List<Span> outputs(long address) {
    return call.collective().signature().output().spreads()
        ? blocks(address, call.layout().receives())
        : List.of(new Span(address, address + bytes(call.outputElements(rank, size))));
  }

  private List<Span> blocks(long address, Layout layout) {
    List<Span> blocks = new ArrayList<>();
    for (int each = 0; each < size; each++) {
      long start = address + bytes(layout.offset(each));
      if (layout.count(each) > 0) {
        blocks.add(new Span(start, start + bytes(layout.count(each))));
      }
    }
    return blocks;
  }

  private long bytes(long elements) {
    return Math.multiplyExact(elements, (long) call.type().sizeBytes());
  }
}
