// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.CloseStack;
import io.tombolo.base.OneSidedReads;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Devices for one-sided reads, one for all connections that have a token: volumes that are put to
 * read what is put by it, and see nothing that is put to those of another token. A device is closed
 * with the last connection that has it. Thread-safe.
 */
final class TokenReads implements AutoCloseable {
  private final Supplier<OneSidedReads> maker;
  private final Map<String, Shared> devices = new HashMap<>();

  /** A device, and how many connections have it. Guarded by the object around it. */
  private static final class Shared {
    private final OneSidedReads device;
    private int users;

    Shared(OneSidedReads device) {
      this.device = device;
    }
  }

  /** Of devices of {@code maker}, which are opened when something needs them. */
  TokenReads(Supplier<OneSidedReads> maker) {
    this.maker = maker;
  }

  /** What one connection has of a device. Closed after it, once. */
  final class Lease implements AutoCloseable {
    private final String token;
    private final Shared shared;

    private Lease(String token, Shared shared) {
      this.token = token;
      this.shared = shared;
    }

    OneSidedReads device() {
      return shared.device;
    }

    /** A device that cannot be closed is logged: the connection has ended all the same. */
    @Override
    public void close() {
      giveBack(this);
    }
  }

  /** One more connection that has {@code token}. */
  synchronized Lease lend(String token) {
    Shared shared = devices.computeIfAbsent(token, first -> new Shared(maker.get()));
    shared.users++;
    return new Lease(token, shared);
  }

  private synchronized void giveBack(Lease lease) {
    lease.shared.users--;
    if (lease.shared.users == 0 && devices.remove(lease.token, lease.shared)) {
      try (CloseStack last = new CloseStack()) {
        last.opened(lease.shared.device);
      }
    }
  }

  /** Closes also those of connections that could not be closed. */
  @Override
  public synchronized void close() {
    try (CloseStack all = new CloseStack()) {
      devices.values().forEach(each -> all.opened(each.device));
    }
    devices.clear();
  }
}
