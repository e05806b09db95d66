// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.WakeUps;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.OptionalInt;

/**
 * A non-blocking stream to one other process. Reading gives -1 at the end of the stream, 0 if
 * nothing is there now.
 */
public interface PeerSocket extends ByteChannel {
  /** Goes on connecting; whether the connection stands. Throws if nobody answers. */
  boolean finishConnect() throws IOException;

  /** The descriptor of a socket that is connected and open, where it is to be had. */
  default OptionalInt descriptor() {
    return OptionalInt.empty();
  }

  /** The rest ends with the next byte, or the end of the stream. */
  default void awaits(WakeUps wakeUps) {
    OptionalInt descriptor = descriptor();
    if (descriptor.isPresent()) {
      wakeUps.on(descriptor.getAsInt());
    } else {
      wakeUps.soon();
    }
  }
}
