package io.tombolo.rdma.staged;

import java.io.IOException;
import java.nio.channels.ByteChannel;

/**
 * A non-blocking stream to one other process. Reading gives -1 at the end of the stream, 0 if
 * nothing is there now.
 */
public interface PeerSocket extends ByteChannel {
  /** Goes on connecting; whether the connection stands. Throws if nobody answers. */
  boolean finishConnect() throws IOException;
}
