// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.MemoryExport;
import java.util.Optional;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucs.UcsConstants.MEMORY_TYPE;

/**
 * The kinds of memory that this machine's UCX moves by itself.
 *
 * <p>Each call to UCX names its kind. Without it jucx passes the number that "unknown" had when it
 * was compiled, which means another kind to a newer UCX; and a kind that UCX was not built for must
 * not reach it at all.
 */
final class UcxMemory {
  private static final UcpRequestParams HOST = kind(MEMORY_TYPE.UCS_MEMORY_TYPE_HOST);

  private final Optional<UcpRequestParams> cuda;
  private final Optional<UcpRequestParams> rocm;

  /** The kinds in UCX's {@code mask}; host memory is always one. */
  UcxMemory(long mask) {
    cuda = kindIn(mask, MEMORY_TYPE.UCS_MEMORY_TYPE_CUDA);
    rocm = kindIn(mask, MEMORY_TYPE.UCS_MEMORY_TYPE_ROCM);
  }

  private static Optional<UcpRequestParams> kindIn(long mask, int kind) {
    return MEMORY_TYPE.isMemTypeSupported(mask, kind) ? Optional.of(kind(kind)) : Optional.empty();
  }

  private static UcpRequestParams kind(int kind) {
    return new UcpRequestParams().setMemoryType(kind);
  }

  /** What calls on host memory carry. */
  static UcpRequestParams host() {
    return HOST;
  }

  /** Where {@code offset} of exported memory is for UCX; none if UCX cannot reach it. */
  Optional<Place> place(MemoryExport export, long offset) {
    if (export instanceof MemoryExport.Host host) {
      return Optional.of(new Place(host.address() + offset, HOST));
    }
    if (export instanceof MemoryExport.HostAlias alias) {
      return Optional.of(new Place(alias.address() + offset, HOST));
    }
    if (export instanceof MemoryExport.Device device) {
      Optional<UcpRequestParams> kind =
          switch (device.runtime()) {
            case CUDA -> cuda;
            case ROCM -> rocm;
          };
      return kind.map(known -> new Place(device.address() + offset, known));
    }
    return Optional.empty();
  }

  /**
   * An address that UCX may read or write.
   *
   * @param kind what the call on it carries
   */
  record Place(long address, UcpRequestParams kind) {
    boolean isHost() {
      return kind == HOST;
    }
  }
}
