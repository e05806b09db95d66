// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory whose copies finish later, in random order, and happen only then: whoever reads or reuses
 * a slot before its copy is done gets wrong bytes.
 */
public final class TestMemory implements LocalMemory, AutoCloseable {
  private final NativeMemory memory;
  private final SplittableRandom random;
  private final int maxDelay;
  private final List<Copy> pending = new ArrayList<>();
  private MemoryExport export = MemoryExport.COPIES;
  private Optional<MemoryBlock> block = Optional.empty();
  private long plainAddress;
  private long tickets;

  private record Copy(
      long ticket, long destination, long source, long sizeBytes, AtomicInteger delay) {}

  /** Each copy takes up to {@code maxDelay} questions to finish; with 0, it is done at once. */
  public TestMemory(long sizeBytes, int maxDelay, long seed) {
    this.memory = NativeMemory.allocate(Math.max(1, sizeBytes));
    this.maxDelay = maxDelay;
    this.random = new SplittableRandom(seed);
  }

  /** Fills everything with bytes that depend on {@code seed}. */
  public TestMemory fill(long seed) {
    byte[] bytes = new byte[(int) memory.sizeBytes()];
    new SplittableRandom(seed).nextBytes(bytes);
    memory.put(0, bytes, 0, bytes.length);
    return this;
  }

  /** Fills everything with zeros. */
  public void clear() {
    memory.put(0, new byte[(int) memory.sizeBytes()], 0, (int) memory.sizeBytes());
  }

  /** Lets fabrics read and write it themselves, too. */
  TestMemory exported() {
    export = new MemoryExport.Host(memory.address());
    return this;
  }

  /** Lets peers on this host read it where it is. */
  public TestMemory plain() {
    plainAddress = memory.address();
    return this;
  }

  /** Claims to be memory of a device that no fabric here knows; its address must not be used. */
  TestMemory exportedAs(MemoryExport.DeviceRuntime runtime) {
    export = new MemoryExport.Device(1, runtime);
    return this;
  }

  /** Lets fabrics register it, as one block. */
  TestMemory registered() {
    return registeredAs(new MemoryExport.Host(memory.address()));
  }

  /** Lets fabrics try to register it, as one block. */
  TestMemory registeredAs(MemoryExport how) {
    block = Optional.of(new MemoryBlock(memory.sizeBytes(), () -> how));
    return this;
  }

  /** Its block counts as freed; the memory stays, so that a test can see what becomes of it. */
  void freed() {
    block.orElseThrow().freed();
  }

  void freedIfRegistered() {
    block.ifPresent(MemoryBlock::freed);
  }

  @Override
  public Optional<MemoryBlock> block() {
    return block;
  }

  /** The {@code sizeBytes} bytes at {@code offset}. */
  public byte[] get(long offset, long sizeBytes) {
    return memory.get(offset, (int) sizeBytes);
  }

  int pendingCopies() {
    return pending.size();
  }

  @Override
  public MemoryExport export() {
    return export;
  }

  @Override
  public long plainAddress() {
    return plainAddress;
  }

  @Override
  public long sizeBytes() {
    return memory.sizeBytes();
  }

  @Override
  public long copyOut(long offset, long hostAddress, long sizeBytes) {
    return start(hostAddress, memory.address(offset, sizeBytes), sizeBytes);
  }

  @Override
  public long copyIn(long offset, long hostAddress, long sizeBytes) {
    return start(memory.address(offset, sizeBytes), hostAddress, sizeBytes);
  }

  private long start(long destination, long source, long sizeBytes) {
    if (maxDelay == 0) {
      NativeMemory.copy(destination, source, sizeBytes);
      return DONE;
    }
    AtomicInteger delay = new AtomicInteger(random.nextInt(maxDelay));
    pending.add(new Copy(++tickets, destination, source, sizeBytes, delay));
    return tickets;
  }

  @Override
  public boolean isDone(long ticket) {
    if (pending.isEmpty()) {
      return true; // without garbage, which some tests count
    }
    pending.removeIf(this::finish);
    return pending.stream().noneMatch(copy -> copy.ticket == ticket);
  }

  private boolean finish(Copy copy) {
    if (copy.delay.getAndDecrement() > 0) {
      return false;
    }
    NativeMemory.copy(copy.destination, copy.source, copy.sizeBytes);
    return true;
  }

  @Override
  public void close() {
    memory.close();
  }
}
