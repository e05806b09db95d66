// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.util.ArrayList;
import java.util.List;

/** Calls between group_start and group_end: collectives, or messages. */
final class CallGroupBuilder {
  private final List<PlacedCall> calls = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();

  void add(PlacedCall call) {
    requireOneKind(messages.isEmpty());
    calls.add(call);
  }

  void add(Message message) {
    requireOneKind(calls.isEmpty());
    messages.add(message);
  }

  private static void requireOneKind(boolean holds) {
    if (!holds) {
      throw new UsageException(
          "a group has collectives or messages, not both; end the one group before the other");
    }
  }

  /** Makes them as one operation. */
  Work make(Communicator communicator, CallOptions options, Stream stream) {
    if (calls.isEmpty() && messages.isEmpty()) {
      throw new UsageException("a group without calls; make some before its end, or cancel it");
    }
    return calls.isEmpty()
        ? communicator.exchange(messages, options, stream)
        : communicator.group(calls, options, stream);
  }
}
