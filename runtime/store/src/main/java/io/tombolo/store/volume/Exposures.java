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
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of a volume's memory its device has. Clients read there past this process: each tensor that
 * one of them has asked for so, from then on until its room is given back. And the volume reads to
 * there from clients' memory, what they put: the device has that room while a read is on.
 * Thread-safe.
 */
final class Exposures {
  private static final Logger LOG = LoggerFactory.getLogger(Exposures.class);

  private final Optional<OneSidedReads> device;
  private final NativeMemory memory;
  private final Map<StoredTensor, OneSidedReads.Exposed> exposed = new ConcurrentHashMap<>();

  /** What closes what the device has not let go of, in this order. */
  private final Queue<Runnable> stuck = new ConcurrentLinkedQueue<>();

  private final AtomicBoolean told = new AtomicBoolean();
  private boolean ended;

  Exposures(Optional<OneSidedReads> device, NativeMemory memory) {
    this.device = device;
    this.memory = memory;
  }

  /** An end for one more client's reads; a {@link TomboloException} if there can be none. */
  OneSidedReads.Holder holder() {
    return made(OneSidedReads::holder);
  }

  /** An end for reads from one more client, likewise. */
  OneSidedReads.Reader reader(String client) {
    return made(device -> device.reader(client));
  }

  /** Room of the volume's that {@code reader} reads to, until {@link #letGo}; likewise. */
  OneSidedReads.Landing landing(OneSidedReads.Reader reader, MemoryBlock room) {
    return made(device -> reader.landing(room));
  }

  private <T> T made(Function<OneSidedReads, T> maker) {
    try {
      return maker.apply(device());
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
    return made(device -> device.expose("'" + tensor.name() + "'", block));
  }

  /**
   * Before a tensor's room is used for anything else: whoever reads it still will fail. It is there
   * for {@link #end} until the device has let go of it.
   */
  void withdraw(StoredTensor tensor) {
    OneSidedReads.Exposed known = exposed.get(tensor);
    if (known != null) {
      boolean unused = letGo(known); // what it keeps is void all the same
      exposed.remove(tensor, known);
    }
  }

  /** Withdraws all, for good; false if the memory must not be freed, as a device still has it. */
  synchronized boolean end() {
    ended = true;
    List<Runnable> left = new ArrayList<>(stuck);
    stuck.clear();
    exposed.values().forEach(each -> left.add(each::close));
    left.forEach(this::closes); // also what another thread is about to: this waits for it
    exposed.clear();
    return stuck.isEmpty();
  }

  /** Whether the device lets go of it; if not, {@link #end} tries again. */
  boolean letGo(OneSidedReads.Registered registered) {
    return closes(registered::close);
  }

  /** Whether that end of {@link #reader} ends, so that nothing comes by it any more; likewise. */
  boolean ends(OneSidedReads.Reader reader) {
    return closes(reader::close);
  }

  /** A reader that has not ended may still write there: {@link #end} closes it after that one. */
  void keep(OneSidedReads.Landing landing) {
    stuck.add(landing::close);
  }

  private boolean closes(Runnable close) {
    boolean closed = false;
    try {
      close.run();
      closed = true;
    } catch (TomboloException e) {
      LOG.warn("the volume's device keeps what it was to let go of: {}", e.getMessage());
    } finally {
      if (!closed) {
        stuck.add(close);
      }
    }
    return closed;
  }

  /** Once, and only who has asked for one-sided reads. */
  private void tell(TomboloException reason) {
    if (device.map(OneSidedReads::isAskedFor).orElse(false) && told.compareAndSet(false, true)) {
      LOG.warn(
          "not all clients get and put over RDMA as the volume's settings ask for: {}",
          reason.getMessage());
    }
  }

  private OneSidedReads device() {
    return device.orElseThrow(
        () ->
            new UnavailableException(
                "the volume was started without one-sided reads; the connection is the way"));
  }
}
