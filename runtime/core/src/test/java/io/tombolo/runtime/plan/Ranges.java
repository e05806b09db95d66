// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Actions about other ranges. */
final class Ranges {
  private Ranges() {}

  /** {@code action} with one of its ranges, drawn by {@code random}, changed. */
  static Action changedOne(Action action, Random random, UnaryOperator<Range> change) {
    AtomicInteger count = new AtomicInteger();
    changed(action, range -> counted(range, count));
    if (count.get() == 0) {
      return action;
    }
    int chosen = random.nextInt(count.get());
    AtomicInteger seen = new AtomicInteger();
    return changed(action, range -> seen.getAndIncrement() == chosen ? change.apply(range) : range);
  }

  private static Range counted(Range range, AtomicInteger count) {
    count.incrementAndGet();
    return range;
  }

  /** {@code action} with all its ranges changed. */
  static Action changed(Action action, UnaryOperator<Range> change) {
    if (action instanceof Action.Send send) {
      return new Action.Send(send.peer(), change.apply(send.from()), send.key());
    }
    if (action instanceof Action.Receive receive) {
      return new Action.Receive(receive.peer(), change.apply(receive.to()), receive.key());
    }
    if (action instanceof Action.Copy copy) {
      return new Action.Copy(change.apply(copy.from()), change.apply(copy.to()));
    }
    if (action instanceof Action.Flush flush) {
      return new Action.Flush(change.apply(flush.range()));
    }
    if (action instanceof Action.Combine combine) {
      return new Action.Combine(
          change.apply(combine.left()),
          change.apply(combine.right()),
          change.apply(combine.into()),
          combine.reduction());
    }
    if (action instanceof Action.Divide divide) {
      return new Action.Divide(change.apply(divide.range()), divide.divisor());
    }
    if (action instanceof Action.Scale scale) {
      return new Action.Scale(change.apply(scale.range()), scale.factor());
    }
    if (action instanceof Action.IntraCall call) {
      return new Action.IntraCall(
          call.primitive(),
          change.apply(call.input()),
          change.apply(call.output()),
          call.op(),
          call.root());
    }
    Action.Exchange exchange = (Action.Exchange) action;
    return Action.Exchange.of(
        changed(exchange.sends(), change), changed(exchange.receives(), change));
  }

  private static List<Action.Transfer> changed(
      List<Action.Transfer> transfers, UnaryOperator<Range> change) {
    List<Action.Transfer> changed = new ArrayList<>();
    for (Action.Transfer each : transfers) {
      changed.add(new Action.Transfer(each.position(), change.apply(each.range())));
    }
    return changed;
  }
}
