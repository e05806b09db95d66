// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UnsupportedException;
import java.util.Optional;

/**
 * What keeps queue pairs and memory of one user together. Thread-safe, as libibverbs is, but for
 * {@link #close}; what is made of it belongs to who made it.
 */
final class ProtectionDomain implements AutoCloseable {
  private static final int INLINE_STEP_BYTES = 32;

  private final Handle handle;

  ProtectionDomain(Handle handle) {
    this.handle = handle;
  }

  /** Registers all of {@code memory}, for those whom {@code access} allows. */
  MemoryRegion register(NativeMemory memory, int access) {
    return register(new MemoryExport.Host(memory.address()), memory.sizeBytes(), access);
  }

  /**
   * Registers {@code sizeBytes} of what {@code export} stands for. Peers name it by its host or
   * device address, by the alias's iova, or from 0 on for a dma-buf.
   *
   * @throws UnsupportedException if it cannot be registered at all
   */
  MemoryRegion register(MemoryExport export, long sizeBytes, int access) {
    String what = "register " + sizeBytes + " bytes for RDMA";
    if (export instanceof MemoryExport.Host host) {
      return plain(what, host.address(), sizeBytes, access);
    } else if (export instanceof MemoryExport.PeerMemory peer) {
      return plain(what + " as peer memory", peer.address(), sizeBytes, access);
    } else if (export instanceof MemoryExport.HostAlias alias) {
      long region =
          VerbsNative.registerAt0(handle.get(), alias.address(), sizeBytes, alias.iova(), access);
      return region(what + " by an alias", region, alias.iova(), sizeBytes);
    } else if (export instanceof MemoryExport.DmaBuf buffer) {
      long region =
          VerbsNative.registerDmaBuf0(
              handle.get(), buffer.offsetBytes(), sizeBytes, 0, buffer.fd(), access);
      return region(what + " as a dma-buf", region, 0, sizeBytes);
    }
    throw new UnsupportedException(
        "cannot " + what + ": " + export + "; stage it through host memory");
  }

  private MemoryRegion plain(String what, long address, long sizeBytes, int access) {
    return region(
        what, VerbsNative.register0(handle.get(), address, sizeBytes, access), address, sizeBytes);
  }

  private MemoryRegion region(String what, long region, long address, long sizeBytes) {
    return new MemoryRegion(
        handle.made("memory region", VerbsErrors.check(what, region)), address, sizeBytes);
  }

  /** A memory window of type 1, not bound yet. */
  MemoryWindow window() {
    return new MemoryWindow(
        handle.made(
            "memory window",
            VerbsErrors.check(
                "allocate a memory window", VerbsNative.allocateWindow0(handle.get()))));
  }

  /** A queue of receives that several queue pairs take from. */
  SharedReceives sharedReceives(int depth) {
    return new SharedReceives(
        handle.made(
            "shared receive queue",
            VerbsErrors.check(
                "make a shared receive queue of " + depth + " entries",
                VerbsNative.createSharedReceives0(handle.get(), depth))));
  }

  /**
   * A queue pair in the state RESET. Devices refuse more inline data than they can do without
   * saying how much that is (bnxt 96 bytes, irdma 101), so less is asked for until they take it.
   */
  QueuePair queuePair(PairType type, PairQueues queues) {
    long[] given = new long[2];
    int inlineBytes = queues.inlineBytes();
    long pair = create(type, queues, inlineBytes, given);
    while (pair == VerbsErrors.EINVAL && inlineBytes > 0) {
      inlineBytes = Math.max(0, inlineBytes - INLINE_STEP_BYTES);
      pair = create(type, queues, inlineBytes, given);
    }
    VerbsErrors.check("make a " + type + " queue pair of " + queues.sendDepth() + " sends", pair);
    return new QueuePair(type, handle.made("queue pair", pair), (int) given[0], (int) given[1]);
  }

  private long create(PairType type, PairQueues queues, int inlineBytes, long[] given) {
    return VerbsNative.createPair0(
        handle.get(),
        type.number(),
        queues.sent().handle(),
        queues.received().handle(),
        queues.shared().map(SharedReceives::handle).orElse(0L),
        queues.sendDepth(),
        queues.receiveDepth(),
        inlineBytes,
        given);
  }

  /**
   * Where datagrams along {@code route} go; empty if the kernel cannot {@linkplain Resolution
   * resolve} the peer's address now.
   */
  Optional<PeerAddress> peerAddress(AddressAttributes route) {
    byte[] gid = route.remoteGid().bytes();
    long fromNs = System.nanoTime();
    long result = VerbsNative.createAddress0(handle.get(), route.numbers(), gid);
    if (VerbsErrors.isUnresolved(result, route, System.nanoTime() - fromNs)) {
      return Optional.empty();
    }
    VerbsErrors.check("make the address " + route, result);
    return Optional.of(new PeerAddress(handle.made("peer's address", result)));
  }

  @Override
  public void close() {
    handle.close();
  }
}
