// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import java.io.IOException;
import java.nio.file.Path;

/** Messages through a channel of the fabric {@code ucx}, from and to memory that UCX reaches. */
final class ChannelMessages implements UcxMessages, Channel.Completions {
  private final Fabric fabric;
  private final Channel channel;
  private final TestMemory memory;
  private int open;

  ChannelMessages(Path folder, boolean first, int mostBytes) throws IOException {
    JobToken token = JobToken.parse(System.getenv(PeerProgram.TOKEN));
    fabric = Kind.UCX.open(first ? 0 : 1, token, SlotGeometry.DEFAULT);
    byte[] peers = Meeting.exchange(folder, first, fabric.address());
    channel = fabric.connect(first ? 1 : 0, peers, 1, Deadline.after(FabricPair.BUDGET));
    memory = new TestMemory(mostBytes, 0, 0).exported();
  }

  @Override
  public void send(int sizeBytes) {
    open++;
    check(channel.send(0, memory, 0, sizeBytes));
  }

  @Override
  public void receive(int sizeBytes) {
    open++;
    check(channel.receive(0, memory, 0, sizeBytes));
  }

  private static void check(boolean taken) {
    if (!taken) {
      throw new AssertionError("the channel has no room");
    }
  }

  @Override
  public int progress() {
    fabric.progress();
    channel.poll(this);
    return open;
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    open--;
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    open--;
  }

  @Override
  public void close() {
    fabric.close();
    memory.close();
  }
}
