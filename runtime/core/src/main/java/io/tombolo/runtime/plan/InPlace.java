// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import java.util.function.LongUnaryOperator;

/**
 * Messages of a rank whose receiver reads them in the sender's memory: one copy, where slots take
 * two.
 *
 * @param peers to and from whom they go
 * @param bytesOf of a message of so many bytes those that are read so
 */
public record InPlace(ImmutableSet<Integer> peers, LongUnaryOperator bytesOf) {
  /** There are none. */
  public static final InPlace NONE = new InPlace(ImmutableSet.of(), sizeBytes -> 0);

  /** Of the {@code sizeBytes} that {@code action} sends, those that are read where they are. */
  long sent(Action action, long sizeBytes) {
    return action instanceof Action.Send send && peers.contains(send.peer())
        ? bytesOf.applyAsLong(sizeBytes)
        : 0;
  }
}
