// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.reliable.SlabFence;

/** A {@link SlabFence} with something to close. */
sealed interface Fence extends SlabFence, AutoCloseable permits WindowFence, RegistrationFence {
  @Override
  void close();
}
