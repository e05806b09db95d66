// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.NativeMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.openucx.jucx.ucs.UcsConstants.MEMORY_TYPE;

/** Tagged messages through jucx alone: what it adds to UCX. */
final class JucxMessages implements UcxMessages {
  private static final long TAG = 1;
  private static final UcpRequestParams HOST =
      new UcpRequestParams().setMemoryType(MEMORY_TYPE.UCS_MEMORY_TYPE_HOST);

  private final UcpContext context;
  private final UcpWorker worker;
  private final UcpEndpoint endpoint;
  private final NativeMemory memory;
  private final List<UcpRequest> open = new ArrayList<>();

  JucxMessages(Path folder, boolean first, int mostBytes) throws IOException {
    Kind.skipIfMissing();
    memory = NativeMemory.allocate(mostBytes);
    context = new UcpContext(new UcpParams().requestTagFeature());
    worker = context.newWorker(new UcpWorkerParams());
    ByteBuffer address = worker.getAddress();
    byte[] mine = new byte[address.remaining()];
    address.get(mine);
    byte[] peers = Meeting.exchange(folder, first, mine);
    ByteBuffer peersAddress = ByteBuffer.allocateDirect(peers.length).put(peers).flip();
    endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(peersAddress));
  }

  @Override
  public void send(int sizeBytes) {
    open.add(endpoint.sendTaggedNonBlocking(memory.address(), sizeBytes, TAG, null, HOST));
  }

  @Override
  public void receive(int sizeBytes) {
    open.add(worker.recvTaggedNonBlocking(memory.address(), sizeBytes, TAG, -1, null, HOST));
  }

  @Override
  public int progress() {
    try {
      worker.progress();
    } catch (Exception e) {
      throw new AssertionError("UCX fails", e);
    }
    for (int i = open.size() - 1; i >= 0; i--) {
      if (open.get(i).isCompleted()) {
        open.remove(i);
      }
    }
    return open.size();
  }

  @Override
  public void close() {
    endpoint.close();
    worker.close();
    context.close();
    memory.close();
  }
}
