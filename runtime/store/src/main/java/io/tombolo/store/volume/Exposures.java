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
  private boolean ended;

  Exposures(Optional<OneSidedReads> device, NativeMemory memory) {
    this.device = device;
    this.memory = memory;
  }

  /** An end for one more client; a {@link TomboloException} if there can be none. */
  OneSidedReads.Holder holder() {
    return device().holder();
  }

  /**
   * What opens a tensor, which has room in the volume's memory and keeps it meanwhile. To expose
   * one for the first time may take long: other tensors can be withdrawn meanwhile, and the
   * catalogue is not held.
   *
   * @throws TomboloException if it is not read one-sidedly, with the reason
   */
  synchronized byte[] keyOf(StoredTensor tensor) {
    if (ended) {
      throw new UnavailableException("the volume is about to end; read over the connection");
    }
    OneSidedReads.Exposed known = exposed.get(tensor);
    if (known == null) {
      long address = memory.address(tensor.offset(), tensor.sizeBytes());
      known =
          device()
              .expose(
                  "'" + tensor.name() + "'",
                  new MemoryBlock(tensor.sizeBytes(), () -> new MemoryExport.Host(address)));
      exposed.put(tensor, known);
    }
    return known.key();
  }

  /** Before a tensor's room is used for anything else: whoever reads it still will fail. */
  void withdraw(StoredTensor tensor) {
    OneSidedReads.Exposed known = exposed.remove(tensor);
    if (known != null) {
      letGo(known);
    }
  }

  /** Withdraws all, for good; false if the memory must not be freed, as a device still has it. */
  synchronized boolean end() {
    ended = true;
    List<OneSidedReads.Exposed> left = new ArrayList<>(stuck);
    stuck.clear();
    left.addAll(exposed.values());
    exposed.clear();
    left.forEach(this::letGo);
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

  private OneSidedReads device() {
    return device.orElseThrow(
        () ->
            new UnavailableException(
                "the volume was started without one-sided reads; read over the connection"));
  }
}
