// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.store.joint.BoxTask;
import io.tombolo.store.joint.WriterShare;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.PartReceiver;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The versions that one client writes together with others. Used by its connection's thread.
 *
 * <p>A {@link CorruptException} says that the client does not keep to the protocol.
 */
final class JointSession {
  private static final int MAX_PUTS = 64;

  private final JointPuts puts;
  private final NativeMemory memory;
  private final Link link;
  private final String client;
  private final Map<Long, Part> parts = new HashMap<>();

  /** A client's part in a version, and the sums of what has come for it over the connection. */
  private static final class Part {
    private final JointPut put;
    private final WriterShare share;
    private final List<Integer> landed = new ArrayList<>();

    Part(JointPut put, WriterShare share) {
      this.put = put;
      this.share = share;
    }
  }

  JointSession(JointPuts puts, NativeMemory memory, Link link, String client) {
    this.puts = puts;
    this.memory = memory;
    this.link = link;
    this.client = client;
  }

  /** Takes part in a version, as number {@code number} of this connection. */
  Reply join(VolumeRequest.Join join, long number) {
    if (parts.size() >= MAX_PUTS) {
      throw new ResourceException(
          "this client writes %s versions at once; end one first".formatted(MAX_PUTS));
    }
    WriterShare share =
        new WriterShare(join.writer(), join.writers(), client, join.mapped(), join.parts());
    parts.put(number, new Part(puts.join(join, share), share));
    return new Reply.Joined(number);
  }

  Reply await(VolumeRequest.AwaitJoint await, Duration wait) throws InterruptedException {
    Part part = known(await.put());
    return ended(await.put(), part.put.await(part.share.writer(), Deadline.after(wait)));
  }

  /** Unlike others, this may come when the version has ended. */
  Reply leave(VolumeRequest.Leave leave) {
    Part part = parts.get(leave.put());
    if (part == null) {
      return new Reply.Refused(Reply.Reason.USAGE, "no version is written as " + leave.put());
    }
    String reason = part.share.title() + " gave up: " + leave.reason();
    return ended(leave.put(), part.put.giveUp(Reply.Reason.PEER, reason));
  }

  /** Receives the boxes of the next parts of a version. */
  void receive(VolumeRequest.SendBoxes send) throws IOException {
    Part part = known(send.put());
    JointTask task = task(part);
    int first = part.landed.size();
    if (send.count() < 1 || send.count() > task.parts().size() - first) {
      throw new CorruptException(
          "it sends %s parts after %s of %s".formatted(send.count(), first, task.parts().size()));
    }
    ImmutableList.Builder<Integer> sums = ImmutableList.builder();
    try (PartReceiver receiver = new PartReceiver(link)) {
      for (BoxTask each : task.parts().subList(first, first + send.count())) {
        StoredTensor tensor = task.tensors().get(each.tensor());
        long address = memory.address(tensor.offset(), tensor.sizeBytes());
        int sum = 0;
        for (Box box : each.boxes()) {
          sum ^= receiver.receive(tensor.tensor().spec(), address, box);
        }
        sums.add(sum);
      }
    }
    part.landed.addAll(sums.build());
  }

  void finish(VolumeRequest.Finish finish) {
    Part part = known(finish.put());
    int wanted = task(part).parts().size();
    boolean written = part.share.mapped() || part.landed.size() == wanted;
    if (finish.checksums().size() != wanted || !written) {
      throw new CorruptException(
          "%s checksums for %s parts, of which %s have come"
              .formatted(finish.checksums().size(), wanted, part.landed.size()));
    }
    if (!part.landed.isEmpty() && !part.landed.equals(finish.checksums())) {
      Reply unused =
          part.put.giveUp(
              Reply.Reason.CORRUPT,
              "bytes of %s changed on their way to the volume".formatted(part.share.title()));
    }
    part.put.finish(part.share.writer(), finish.checksums());
  }

  /** Takes everything back. The client must not use the volume's memory any more. */
  void end() {
    parts.values().forEach(part -> part.put.leave(part.share));
    parts.clear();
  }

  /** A reply; the client's part ends with the last. */
  private Reply ended(long number, Reply reply) {
    if (reply instanceof Reply.Committed || reply instanceof Reply.Refused) {
      Part part = parts.remove(number);
      part.put.leave(part.share);
    }
    return reply;
  }

  private Part known(long number) {
    Part part = parts.get(number);
    if (part == null) {
      throw new CorruptException("it writes no version as " + number);
    }
    return part;
  }

  private static JointTask task(Part part) {
    return part.put
        .task(part.share.writer())
        .orElseThrow(() -> new CorruptException("it writes before its boxes are allotted"));
  }
}
