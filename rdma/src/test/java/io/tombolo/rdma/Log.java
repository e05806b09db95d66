// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import java.util.ArrayList;
import java.util.List;

/** Remembers completions in order. */
final class Log implements Channel.Completions {
  final List<Long> sent = new ArrayList<>();
  final List<Long> received = new ArrayList<>();

  @Override
  public void onSent(long tag, long sizeBytes) {
    sent.add(tag);
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    received.add(tag);
  }
}
