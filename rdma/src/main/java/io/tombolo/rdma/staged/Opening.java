// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import java.io.IOException;
import java.util.Optional;

/** A channel on its way to being open: the side that dials, or the side that waits for it. */
sealed interface Opening extends AutoCloseable permits Dialling, Awaiting {
  /** Goes on; once both sides are proved, the link that serves these queues. */
  Optional<MessageLink> progress(TransferQueue sends, TransferQueue receives) throws IOException;

  /** What it is doing, for the message of a missed deadline. */
  String doing();

  @Override
  void close();
}
