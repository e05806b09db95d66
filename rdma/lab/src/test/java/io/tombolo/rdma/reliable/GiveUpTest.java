// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertNotNull;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.lab.simulated.SimulatedEndpoint;
import io.tombolo.rdma.reliable.ProtocolConfig.Shape;
import java.nio.ByteBuffer;
import org.testng.annotations.Test;

/** Nothing waits for ever: what fails says who, where and after how long. */
public class GiveUpTest {
  @Test
  public void shouldNameThePeerWhenNothingIsHeardOfIt() {
    String failure =
        SeededConversation.play(ScriptedPair.calm(Shape.DATAGRAM, 5000), new Silence(true));
    assertNotNull(failure);
    assertTrue(failure.contains("PeerFailedException: rank 1, flow 7: nothing heard"), failure);
    assertTrue(failure.contains("look at its output, at the cable and the switch"), failure);
  }

  @Test
  public void shouldNameFlowPsnAndAttemptsWhenNoChunkGetsThroughToALivePeer() {
    String failure =
        SeededConversation.play(ScriptedPair.calm(Shape.DATAGRAM, 5000), new Silence(false));
    assertNotNull(failure);
    assertTrue(failure.contains("DeadlineExceededException: rank 1, flow 7: psn 0"), failure);
    assertTrue(failure.matches(".* after \\d\\d? attempts and 10\\d\\d ms .*"), failure);
  }

  /** A wire that swallows all chunks, and control packets too if it is total. */
  private static final class Silence extends Mutant {
    private final boolean total;

    Silence(boolean total) {
      this.total = total;
    }

    @Override
    PacketSender wire(SimulatedEndpoint endpoint) {
      return new PacketTamper(endpoint) {
        @Override
        public boolean sendControl(ByteBuffer packet) {
          return total || super.sendControl(packet);
        }

        @Override
        public boolean sendDatagram(
            ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
          return true;
        }
      };
    }
  }
}
