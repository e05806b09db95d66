// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnsupportedException;
import java.util.Optional;

/**
 * A block as a NIC knows it, or the reason why the NIC cannot reach it. Several can be made at a
 * time; each is used by one thread at a time.
 */
final class Registration implements AutoCloseable {
  private final MemoryBlock block;
  private final Optional<MemoryRegion> region;
  private final Optional<NativeMemory> alias;
  private final String refusal;
  private final Optional<Registration> reached;
  private int users;

  private Registration(
      MemoryBlock block,
      Optional<MemoryRegion> region,
      Optional<NativeMemory> alias,
      String refusal) {
    this.block = block;
    this.region = region;
    this.alias = alias;
    this.refusal = refusal;
    this.reached = region.map(present -> this);
  }

  /**
   * Registers all of {@code block}: a dma-buf as such, or, where the NIC's driver takes none, by a
   * mapping of it; everything else by its address.
   */
  static Registration of(MemoryBlock block, ProtectionDomain domain, int access) {
    try {
      MemoryExport export = block.export();
      if (export instanceof MemoryExport.DmaBuf buffer) {
        return ofDmaBuf(block, buffer, domain, access);
      }
      return done(block, domain.register(export, block.sizeBytes(), access), Optional.empty());
    } catch (TomboloException e) {
      return new Registration(block, Optional.empty(), Optional.empty(), e.getMessage());
    }
  }

  private static Registration ofDmaBuf(
      MemoryBlock block, MemoryExport.DmaBuf owned, ProtectionDomain domain, int access) {
    try (MemoryExport.DmaBuf buffer = owned) {
      try {
        return done(block, domain.register(buffer, block.sizeBytes(), access), Optional.empty());
      } catch (UnsupportedException noDmaBuf) {
        return ofMapping(block, buffer, domain, access);
      }
    }
  }

  private static Registration ofMapping(
      MemoryBlock block, MemoryExport.DmaBuf buffer, ProtectionDomain domain, int access) {
    long from = buffer.offsetBytes();
    try (CloseStack stack = new CloseStack()) {
      NativeMemory alias = stack.opened(NativeMemory.map(buffer.fd(), from + block.sizeBytes()));
      MemoryExport export = new MemoryExport.HostAlias(alias.address(from, block.sizeBytes()), 0);
      MemoryRegion region = domain.register(export, block.sizeBytes(), access);
      stack.keep();
      return done(block, region, Optional.of(alias));
    }
  }

  private static Registration done(
      MemoryBlock block, MemoryRegion region, Optional<NativeMemory> alias) {
    return new Registration(block, Optional.of(region), alias, "");
  }

  /** Why the NIC cannot reach the block; empty if it can. */
  String refusal() {
    return refusal;
  }

  /** This, if the NIC reaches the block; made once, because it is asked for each payload. */
  Optional<Registration> reached() {
    return reached;
  }

  /** The region, of a block that the NIC reaches. */
  MemoryRegion region() {
    return region.orElseThrow();
  }

  /** How requests, ours and peers', name {@code offset} of the block. */
  long address(long offset) {
    return region().remoteAddress() + offset;
  }

  boolean isFreed() {
    return block.isFreed();
  }

  /** From now on a request names it, and it stays. */
  void use() {
    users++;
  }

  /** One request less names it. */
  void leave() {
    users--;
  }

  boolean isUsed() {
    return users > 0;
  }

  @Override
  public void close() {
    region.ifPresent(MemoryRegion::close);
    alias.ifPresent(NativeMemory::close);
  }
}
