// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** What receives are posted to: a queue pair's own queue, or a shared one. */
interface ReceiveQueue {
  /** Posts records laid out by {@link ReceiveRequests}; how many were taken, or a negated errno. */
  int post(long records, int count);
}
