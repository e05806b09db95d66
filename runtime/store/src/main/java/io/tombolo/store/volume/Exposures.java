// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of a volume's memory clients read past its process: each tensor that one of them has asked
 * for so, from then on until its room is given back. Thread-safe.
 */
final class Exposures {
  private static final Logger LOG = LoggerFactory.getLogger(Exposures.class);

  private final Optional<OneSidedReads> device;
  private final NativeMemory memory;
  private final Map<StoredTensor, OneSidedReads.Exposed> exposed = new ConcurrentHashMap<>();
  private final Queue<OneSidedReads.Exposed> stuck = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private boolean ended;

  Exposures(Optional<OneSidedReads> device, NativeMemory memory) {
    this.device = device;
    this.memory = memory;
  }

  /** An end for one more client; a {@link TomboloException} if there can be none. */
  OneSidedReads.Holder holder() {
    try {
      return device().holder();
    } catch (TomboloException e) {
      tell(e);
      throw e;
    }
  }

  /**
   * What opens a tensor, which has room in the volume's memory and keeps it meanwhile. To expose
   * one for the first time may take long. Only other tensors' first times wait for it: whoever asks
   * for one that is exposed, or withdraws one, does not.
   *
   * @throws TomboloException if it is not read one-sidedly, with the reason
   */
  byte[] keyOf(StoredTensor tensor) {
    OneSidedReads.Exposed known = exposed.get(tensor);
    return known != null ? known.key() : exposedNow(tensor).key();
  }

  private synchronized OneSidedReads.Exposed exposedNow(StoredTensor tensor) {
    if (ended) {
      throw new UnavailableException("the volume is about to end; read over the connection");
    }
    OneSidedReads.Exposed known = exposed.get(tensor);
    if (known == null) {
      known = expose(tensor);
      exposed.put(tensor, known);
    }
    return known;
  }

  private OneSidedReads.Exposed expose(StoredTensor tensor) {
    long address = memory.address(tensor.offset(), tensor.sizeBytes());
    MemoryBlock block = new MemoryBlock(tensor.sizeBytes(), () -> new MemoryExport.Host(address));
    try {
      return device().expose("'" + tensor.name() + "'", block);
    } catch (TomboloException e) {
      tell(e);
      throw e;
    }
  }

  /**
   * Before a tensor's room is used for anything else: whoever reads it still will fail. It is there
   * for {@link #end} until the device has let go of it.
   */
  void withdraw(StoredTensor tensor) {
    OneSidedReads.Exposed known = exposed.get(tensor);
    if (known != null) {
      letGo(known);
      exposed.remove(tensor, known);
    }
  }

  /** Withdraws all, for good; false if the memory must not be freed, as a device still has it. */
  synchronized boolean end() {
    ended = true;
    List<OneSidedReads.Exposed> left = new ArrayList<>(stuck);
    stuck.clear();
    left.addAll(exposed.values());
    left.forEach(this::letGo); // also what another thread is about to: this waits for it
    exposed.clear();
    return stuck.isEmpty();
  }

  /** What the device does not let go of is void all the same. */
  private void letGo(OneSidedReads.Exposed withdrawn) {
    try {
      withdrawn.close();
    } catch (TomboloException e) {
      LOG.warn("the volume's device keeps memory that is withdrawn: {}", e.getMessage());
      stuck.add(withdrawn);
    }
  }

  /** Once, and only who has asked for one-sided reads. */
  private void tell(TomboloException reason) {
    if (device.map(OneSidedReads::isAskedFor).orElse(false) && told.compareAndSet(false, true)) {
      LOG.warn(
          "not all clients read the volume's memory over RDMA as its settings ask for: {}",
          reason.getMessage());
    }
  }

  private OneSidedReads device() {
    return device.orElseThrow(
        () ->
            new UnavailableException(
                "the volume was started without one-sided reads; read over the connection"));
  }
}
