// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Parts of leased tensors that come over the connection, all of one call. The next ones are asked
 * for before those in front of them have come: so the other side sends on while this one takes in
 * and sums up, and neither waits for the other between two tensors.
 *
 * <p>Used in the calls of its link. Whatever comes of it, nothing that was asked for is still on
 * its way afterwards, or the connection has ended.
 */
final class PartStream {
  /**
   * Parts that have been asked for and have not come: together their requests are shorter than what
   * a socket takes in, so that they never wait for an answer that waits for them.
   */
  static final int AHEAD = 32;

  /** Takes in the bytes of a part; their CRC-32C. */
  interface Receiver {
    int receive() throws IOException;
  }

  /** What is asked for, how many bytes that is, and who takes them in. */
  record Part(VolumeRequest.Read request, long sizeBytes, Receiver receiver) {}

  private final VolumeLink link;
  private final ImmutableList<Part> parts;
  private final ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
  private Optional<Reply.Refused> refused = Optional.empty();
  private int asked;

  private PartStream(VolumeLink link, List<Part> parts) {
    this.link = link;
    this.parts = ImmutableList.copyOf(parts);
  }

  /**
   * Receives them in their order; the CRC-32C of each, as it has come. If one is refused, no more
   * are asked for, and this fails as a refused request does.
   */
  static ImmutableList<Integer> receive(VolumeLink link, List<Part> parts) throws IOException {
    PartStream stream = new PartStream(link, parts);
    link.whole(stream::run);
    if (stream.refused.isPresent()) {
      throw stream.refused.get().error();
    }
    return stream.checksums.build();
  }

  private Void run() throws IOException {
    for (int index = 0; index < parts.size(); index++) {
      askUpTo(Math.min(index + AHEAD, parts.size()));
      if (index < asked) {
        take(parts.get(index));
      }
    }
    return null;
  }

  private void askUpTo(int end) throws IOException {
    while (asked < end && refused.isEmpty()) {
      link.tell(parts.get(asked).request());
      asked++;
    }
  }

  private void take(Part part) throws IOException {
    Reply reply = reply();
    if (reply instanceof Reply.Refused refusal) {
      refused = Optional.of(refused.orElse(refusal));
    } else if (reply instanceof Reply.BytesFollow bytes && bytes.sizeBytes() == part.sizeBytes()) {
      checksums.add(part.receiver().receive());
    } else {
      throw link.strange(reply);
    }
  }

  /** The next answer. Who has refused may end the connection with that, and has said why. */
  private Reply reply() throws IOException {
    try {
      return link.reply();
    } catch (IOException e) {
      if (refused.isEmpty() || e instanceof InterruptedIOException) {
        throw e;
      }
      throw new IOException(refused.get().message(), e);
    }
  }
}
