// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.staged.RetryPause;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks that a NIC has registered for messages: each once, a bounded number, those used
 * longest ago leaving first. A block that is freed leaves as soon as no request names it. Used by
 * one thread.
 */
final class Registrations implements AutoCloseable {
  /** Some devices have room for as few as some thousand regions, and other users. */
  static final int MOST = 128;

  /** How long, at most, freed memory stays registered while nothing else is to do. */
  private static final long SWEEP_NS = 200_000_000;

  private static final Logger log = LoggerFactory.getLogger(Registrations.class);

  private final NicPort nic;
  private final int most;
  private final RetryPause pause;
  private final Map<MemoryBlock, Registration> byBlock = new LinkedHashMap<>(16, 0.75f, true);

  Registrations(NicPort nic, int most, Ticker ticker) {
    this.nic = nic;
    this.most = most;
    this.pause = new RetryPause(ticker);
  }

  /** The registration of the block that {@code memory} lies in; none if it has to be copied. */
  Optional<Registration> find(LocalMemory memory) {
    Optional<MemoryBlock> block = memory.block();
    return block.isEmpty() ? Optional.empty() : of(block.get()).reached();
  }

  /** Whether the NIC reaches {@code block}, which is registered to find out. */
  boolean reaches(MemoryBlock block) {
    return of(block).reached().isPresent();
  }

  private Registration of(MemoryBlock block) {
    Registration known = byBlock.get(block);
    return known != null ? known : make(block);
  }

  private Registration make(MemoryBlock block) {
    makeRoom();
    int access = Access.LOCAL_WRITE | (nic.hasWindows() ? Access.WINDOWS : 0);
    Registration made = Registration.of(block, nic.domain(), access);
    if (made.refusal().isEmpty()) {
      log.debug("{} reaches {} bytes directly", nic, block.sizeBytes());
    } else {
      log.info("{} bytes are staged over {}: {}", block.sizeBytes(), nic, made.refusal());
    }
    byBlock.put(block, made);
    return made;
  }

  /** With none that leaves there is one more for a while: requests bound their number, too. */
  private void makeRoom() {
    if (!pause.isOver()) {
      return;
    }
    sweep();
    Iterator<Registration> eldest = byBlock.values().iterator();
    while (byBlock.size() >= most && eldest.hasNext()) {
      Registration candidate = eldest.next();
      if (!candidate.isUsed() && tryClose(candidate)) {
        eldest.remove();
      }
    }
  }

  /** Gives up what was freed. */
  void sweep() {
    if (!pause.isOver()) {
      return;
    }
    for (Iterator<Registration> all = byBlock.values().iterator(); all.hasNext(); ) {
      Registration one = all.next();
      if (one.isFreed() && !one.isUsed() && tryClose(one)) {
        all.remove();
      }
    }
  }

  /** What a device does not let go of now stays, and is tried again after a pause. */
  private boolean tryClose(Registration unused) {
    try {
      unused.close();
      pause.end();
      return true;
    } catch (TomboloException e) {
      log.debug("a block stays registered: {}", e.getMessage());
      pause.onRefusal();
      return false;
    }
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}: nobody tells when memory is freed. */
  void awaits(WakeUps wakeUps) {
    sweep();
    if (!byBlock.isEmpty()) {
      wakeUps.within(SWEEP_NS);
    }
  }

  int size() {
    return byBlock.size();
  }

  @Override
  public void close() {
    byBlock.values().forEach(Registration::close);
    byBlock.clear();
  }
}
