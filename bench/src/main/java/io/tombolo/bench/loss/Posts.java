// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;

/** Keeps as many messages posted as the two ends take. */
final class Posts {
  private final Trial trial;
  private final Channel from;
  private final Channel to;
  private final LocalMemory source;
  private final LocalMemory target;
  private int sends;
  private int receives;

  Posts(Trial trial, Channel from, Channel to, LocalMemory source, LocalMemory target) {
    this.trial = trial;
    this.from = from;
    this.to = to;
    this.source = source;
    this.target = target;
  }

  void post() {
    while (receives < trial.messages() && to.receive(receives, target, 0, trial.messageBytes())) {
      receives++;
    }
    while (sends < trial.messages() && from.send(sends, source, 0, trial.messageBytes())) {
      sends++;
    }
  }
}
