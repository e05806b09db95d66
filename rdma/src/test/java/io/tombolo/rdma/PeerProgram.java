// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import java.time.Duration;
import java.util.HexFormat;

/**
 * Rank 1 in a process of its own: {@code KIND PARENT_ADDRESS COUNT SIZE}. It says its address, then
 * sends back each of COUNT messages of SIZE bytes, then stays until it is killed or its time is
 * over.
 */
final class PeerProgram {
  static final String TOKEN = "TOMBOLO_TEST_TOKEN";
  private static final Duration LIFE = FabricPair.BUDGET.multipliedBy(3);

  private PeerProgram() {}

  public static void main(String[] arguments) {
    Deadline life = Deadline.after(LIFE);
    JobToken token = JobToken.parse(System.getenv(TOKEN));
    int count = Integer.parseInt(arguments[2]);
    int size = Integer.parseInt(arguments[3]);
    try (Fabric fabric = Kind.valueOf(arguments[0]).open(1, token, SlotGeometry.DEFAULT);
        TestMemory memory = new TestMemory(size, 0, 0).plain()) {
      System.out.println(HexFormat.of().formatHex(fabric.address()));
      Channel channel = fabric.connect(0, HexFormat.of().parseHex(arguments[1]), 1, life);
      for (int i = 0; i < count; i++) {
        channel.receive(i, memory, 0, size);
        await(fabric, channel, life);
        channel.send(i, memory, 0, size);
        await(fabric, channel, life);
      }
      while (!life.isExpired()) {
        fabric.progress();
        channel.poll(new Log());
      }
    }
  }

  private static void await(Fabric fabric, Channel channel, Deadline life) {
    while (channel.poll(new Log()) == 0 && !life.isExpired()) {
      fabric.progress();
    }
  }
}
