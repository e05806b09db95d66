// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

/** Messages between two processes, as the benchmark of UCX wants them; used by one thread. */
interface UcxMessages extends AutoCloseable {
  /** Begins to send {@code sizeBytes}. */
  void send(int sizeBytes);

  /** Expects {@code sizeBytes}. */
  void receive(int sizeBytes);

  /** Takes all forward; how many sends and receives have not completed. */
  int progress();

  @Override
  void close();
}
