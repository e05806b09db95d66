// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.rdma.Channel;

/** Counts messages that are complete. */
final class Count implements Channel.Completions {
  int sent;
  int received;

  @Override
  public void onSent(long tag, long sizeBytes) {
    sent++;
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    received++;
  }
}
