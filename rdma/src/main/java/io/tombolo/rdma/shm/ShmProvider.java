// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.StagedFabric;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * {@code shm}: through a memory segment that both sides pin. It listens on an abstract Unix socket
 * of a random name; nothing stays behind, however the process ends.
 */
public final class ShmProvider implements FabricProvider {
  private static final Supplier<Boolean> MAY_READ =
      Suppliers.memoize(PtraceScope::letsSiblingsRead);

  @Override
  public String name() {
    return ShmMedium.NAME;
  }

  @Override
  public String peers() {
    return "ranks of this host";
  }

  @Override
  public int priority() {
    return 100;
  }

  @Override
  public boolean sharesMemory() {
    return true;
  }

  @Override
  public long bytesReadInPlace(long sizeBytes) {
    return MAY_READ.get() ? LentSlots.lendable(sizeBytes) : 0;
  }

  @Override
  public Fabric open(
      FabricSettings settings, InetSocketAddress unused, Map<String, String> options) {
    return new StagedFabric(ShmMedium.open(settings.pinner()), settings);
  }
}
