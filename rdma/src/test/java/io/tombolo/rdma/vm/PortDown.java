// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.vm;

import java.io.IOException;

/** The interface beneath rxe0 taken down, until closed; with it the kernel forgets its route. */
public final class PortDown implements AutoCloseable {
  private PortDown() {}

  /** Takes it down. */
  public static PortDown take() throws IOException, InterruptedException {
    GuestCommand.run("ip", "link", "set", "v0", "down");
    return new PortDown();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    GuestCommand.run("ip", "link", "set", "v0", "up");
    GuestCommand.run(
        "ip", "route", "add", "10.77.0.2", "dev", "v0", "src", "10.77.0.1", "table", "101");
  }
}
