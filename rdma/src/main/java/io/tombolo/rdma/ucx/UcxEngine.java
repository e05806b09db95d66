// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.WakeUps;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpConstants;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * UCX in this process: one context, one worker, and the links that share it.
 *
 * <p>Used by one thread at a time, and the next one sees all that the last one did. Nothing is
 * thrown out of a callback: jucx would let all but the last of several exceptions fall under the
 * table.
 */
final class UcxEngine implements AutoCloseable {
  /** The number of our active messages; any would do. */
  static final int MESSAGE_ID = 7;

  private static final Logger log = LoggerFactory.getLogger(UcxEngine.class);

  private static final int MAX_LINKS = 1 << 16;
  private static final Duration CLOSING = Duration.ofMillis(50);

  /** Tries to arm the worker: the first may only find the trace of what is done already. */
  private static final int ARMINGS = 3;

  private final UcpContext context;
  private final UcpWorker worker;
  private final int eventDescriptor;
  private final UcxMemory memory;
  private final SecureRandom random = new SecureRandom();
  private final NativeMemory header = NativeMemory.allocate(UcxHeader.SIZE_BYTES);
  private final ByteBuffer headerView = header.view(0, UcxHeader.SIZE_BYTES);
  private final List<UcxLink> links = new ArrayList<>();
  private final List<UcxPeer> peers = new ArrayList<>();
  private long strangeMessages;
  private boolean polled;
  private boolean closed;

  private UcxEngine(UcpContext context, UcpWorker worker) {
    this.context = context;
    this.worker = worker;
    this.eventDescriptor = worker.getEventFD();
    this.memory = new UcxMemory(context.getMemoryTypesMask());
    worker.setAmRecvHandler(
        MESSAGE_ID,
        (headerAddress, headerBytes, data, replyTo) -> {
          receive(headerAddress, headerBytes, data);
          return UcsConstants.STATUS.UCS_OK;
        },
        UcpConstants.UCP_AM_FLAG_WHOLE_MSG);
  }

  /**
   * Starts UCX, which {@link UcxLibrary} has found usable, with {@code options} in its own terms.
   * Not with fewer files left than it opens: where it runs out of them in the middle, a later try
   * may end the process ({@code ucs_async_thread_stop} asserts that there is a thread).
   *
   * @throws io.tombolo.base.errors.ResourceException if too few are left
   */
  static UcxEngine start(Map<String, String> options) {
    if (OpenFiles.areFewerLeftThan(UcxStatus.FILES)) {
      throw OpenFiles.noneLeft("UCX cannot be started");
    }
    UcpParams params = new UcpParams().requestAmFeature().requestWakeupFeature();
    options.forEach(params::setConfig);
    try {
      UcpContext context = new UcpContext(params);
      try {
        // One thread at a time, but not always the same: UCX wants to know that.
        return new UcxEngine(
            context, context.newWorker(new UcpWorkerParams().requestThreadSafety()));
      } catch (UcxException e) {
        context.close();
        throw e;
      }
    } catch (UcxException e) {
      throw UcxStatus.error("starting UCX", e.getStatus(), e.getMessage());
    }
  }

  UcxMemory memory() {
    return memory;
  }

  /** What a peer's UCX needs to reach this one. */
  byte[] address() {
    ByteBuffer address = worker.getAddress();
    byte[] bytes = new byte[address.remaining()];
    address.get(bytes);
    return bytes;
  }

  /** Moves what can be moved; how many steps that was. */
  int progress() {
    if (!peers.isEmpty()) {
      peers.removeIf(UcxPeer::isGone);
    }
    try {
      return worker.progress();
    } catch (Exception e) {
      log.warn("UCX reports what no callback should let through", e);
      return 1;
    }
  }

  /**
   * As {@link io.tombolo.rdma.Fabric#awaits}. The descriptor tells only of what comes after UCX was
   * armed, which it refuses while there is something to do; see {@code ucp_worker_arm} in UCX's
   * {@code ucp.h}.
   */
  void awaits(WakeUps wakeUps) {
    if (!polled && peers.stream().allMatch(UcxPeer::isInUse) && arm()) {
      wakeUps.on(eventDescriptor);
    } else {
      wakeUps.soon();
    }
  }

  private boolean arm() {
    for (int tries = 0; tries < ARMINGS; tries++) {
      try {
        worker.arm();
        return true;
      } catch (UcxException e) {
        if (e.getStatus() != UcxStatus.BUSY) {
          log.warn("UCX does not tell when something comes, so that it is polled from now on", e);
          polled = true;
          return false;
        }
      }
      if (progress() > 0) {
        return false; // the links have to look at it
      }
    }
    return false;
  }

  /** Takes {@code link} in; the key that its peer has to put on messages for it. */
  long register(UcxLink link) {
    int place = links.indexOf(null);
    if (place < 0) {
      if (links.size() == MAX_LINKS) {
        throw UcxStatus.error("opening a channel", 0, MAX_LINKS + " channels are open");
      }
      place = links.size();
      links.add(null);
    }
    links.set(place, link);
    return random.nextLong() << Short.SIZE | place;
  }

  /** No message reaches the link of {@code key} any more. */
  void unregister(long key) {
    links.set(place(key), null);
  }

  private static int place(long key) {
    return (int) (key & 0xffff);
  }

  /** The way to the process with this address, shared by all links to it; each gives it back. */
  UcxPeer peer(byte[] address) {
    UcxPeer peer =
        peers.stream()
            .filter(each -> each.isInUse() && each.isAt(address))
            .findFirst()
            .orElseGet(() -> connect(address));
    peer.retain();
    return peer;
  }

  private UcxPeer connect(byte[] address) {
    UcxPeer peer = new UcxPeer(worker, address);
    peers.add(peer);
    return peer;
  }

  /** Receives rendezvous data that is announced by {@code data}; only inside the callback. */
  UcpRequest fetch(UcpAmData data, long address, int bytes, UcpRequestParams kind) {
    return worker.recvAmDataNonBlocking(data.getDataHandle(), address, bytes, null, kind);
  }

  private void receive(long headerAddress, long headerBytes, UcpAmData data) {
    UcxLink link = null;
    if (headerBytes == UcxHeader.SIZE_BYTES) {
      // Copied before it is checked: the memory is UCX's, and perhaps the peer's too.
      NativeMemory.copy(header.address(), headerAddress, headerBytes);
      long key = UcxHeader.key(headerView);
      link = place(key) < links.size() ? links.get(place(key)) : null;
      link = link != null && link.isFor(key) ? link : null;
    }
    if (link == null) {
      strangeMessages++;
      log.debug("{} messages so far were for no channel of this process", strangeMessages);
    } else {
      link.receive(header, headerView, data);
    }
  }

  /** Ends everything, after what has been sent has left, as far as that takes but a moment. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    drain();
    peers.forEach(UcxPeer::end);
    drain();
    if (!peers.isEmpty()) {
      // UCX aborts the process if it is asked to end in the middle of things.
      log.warn("UCX does not let go of {} peers: it is left behind", peers.size());
      return;
    }
    worker.close();
    context.close();
    header.close();
  }

  private void drain() {
    Deadline deadline = Deadline.after(CLOSING);
    progress();
    while (!peers.stream().allMatch(UcxPeer::isInUse) && !deadline.isExpired()) {
      progress();
    }
  }
}
