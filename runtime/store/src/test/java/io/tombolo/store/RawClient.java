// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.JobToken;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.ReplyCodec;
import io.tombolo.store.wire.VolumeGreeting;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A client of a volume that says to it whatever a test wants. */
public final class RawClient implements AutoCloseable {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Link link;
  private final long memoryBytes;

  /** One that the volume at {@code address} welcomes. */
  public RawClient(InetSocketAddress address, JobToken token) throws IOException {
    link = Link.connect(address, LONG);
    memoryBytes = VolumeGreeting.asClient(link, token).memory().sizeBytes();
  }

  /** How long the volume's memory is, as its welcome says. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** Its connection. */
  public Link link() {
    return link;
  }

  /** Sends a request. */
  public void send(VolumeRequest request) throws IOException {
    link.send(request.frame());
  }

  /** Sends bytes that are no request. */
  public void send(ByteBuffer bytes) throws IOException {
    link.send(bytes);
  }

  /** What the volume replies. */
  public Reply ask(VolumeRequest request) throws IOException {
    send(request);
    return ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }

  /** What the volume has. */
  public VolumeFigures figures() throws IOException {
    return ((Reply.Volume) ask(new VolumeRequest.Stat())).figures();
  }

  /** The volume does not do {@code request}, for this reason. */
  public void assertRefused(VolumeRequest request, Reply.Reason reason) throws IOException {
    Reply reply = ask(request);
    assertTrue(
        reply instanceof Reply.Refused refused && refused.reason() == reason, reply.toString());
  }

  /** The volume refuses {@code request}, and ends the connection with that. */
  public void assertEnds(VolumeRequest request) throws IOException {
    assertRefused(request, Reply.Reason.CORRUPT);
    assertThrows(EOFException.class, () -> link.receive(1));
  }

  @Override
  public void close() {
    link.close();
  }
}
