// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.CountDownLatch;

/** A port whose calls wait for one that another channel has made; until closed. */
final class HeldResolver implements AutoCloseable {
  private final CountDownLatch gate = new CountDownLatch(1);

  HeldResolver(NicPort nic) {
    CountDownLatch begun = new CountDownLatch(1);
    nic.resolver()
        .submit(
            () -> {
              begun.countDown();
              Uninterruptibles.awaitUninterruptibly(gate);
              return true;
            },
            0);
    Uninterruptibles.awaitUninterruptibly(begun);
  }

  @Override
  public void close() {
    gate.countDown();
  }
}
