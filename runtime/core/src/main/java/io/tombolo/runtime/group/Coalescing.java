// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.util.ArrayList;
import java.util.List;

/** Calls put together until they are made at once: collectives, or messages, on one stream. */
final class Coalescing {
  private final List<PlacedCall> calls = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final List<GroupWork> works = new ArrayList<>();
  private Stream stream;
  private CallOptions options;

  GroupWork add(PlacedCall call, Stream on, CallOptions how) {
    check(on, !messages.isEmpty());
    calls.add(call);
    return join(on, how);
  }

  GroupWork add(Message message, Stream on, CallOptions how) {
    check(on, !calls.isEmpty());
    messages.add(message);
    return join(on, how);
  }

  private void check(Stream on, boolean mixed) {
    if (stream != null && !isSame(stream, on)) {
      throw new UsageException("coalesced calls are on one stream; these are on two");
    }
    if (mixed) {
      throw new UsageException(
          "collectives and messages are not coalesced together; end the one group first");
    }
  }

  /** A caller may have wrapped one stream twice; the host's streams have no handle. */
  private static boolean isSame(Stream one, Stream other) {
    return one.equals(other)
        || (one.nativeHandle() != 0 && one.nativeHandle() == other.nativeHandle());
  }

  private GroupWork join(Stream on, CallOptions how) {
    stream = on;
    options = how;
    GroupWork work = new GroupWork(on);
    works.add(work);
    return work;
  }

  /** The last call's work, which will be everyone's. */
  GroupWork last() {
    if (works.isEmpty()) {
      throw new UsageException("a coalesced group without calls; make some before its end");
    }
    return works.get(works.size() - 1);
  }

  /** Makes the calls; the last one's options hold for all. */
  GroupWork make(Communicator communicator) {
    GroupWork last = last();
    Work made =
        calls.isEmpty()
            ? communicator.exchange(messages, options, stream)
            : communicator.group(calls, options, stream);
    works.forEach(work -> work.isMadeAs(made));
    return last;
  }
}
