// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Moves a job into a store that its rank 0 hosts, as under mpirun: it goes when that rank does. */
final class OwnStore {
  private static final String PORT = "port of rank 0";

  private OwnStore() {}

  static JobEnvironment of(JobEnvironment launched) {
    try (Store meeting = launched.openStore()) {
      if (launched.rank() == 0) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        int port = TcpStoreServer.start(any, launched.token()).address().getPort();
        meeting.set(PORT, Integer.toString(port).getBytes(UTF_8));
      }
      String port = new String(meeting.await(PORT, launched.deadline()), UTF_8);
      return new JobEnvironment(
          launched.rank(),
          launched.size(),
          launched.localRank(),
          launched.storeHost(),
          Integer.parseInt(port),
          StoreKind.RANK0,
          launched.token(),
          launched.vendor(),
          launched.timeout(),
          launched.settings());
    }
  }
}
