// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.faulty.Faults;

/**
 * What is carried over which link.
 *
 * @param faults what goes wrong, both ways
 * @param messageBytes bytes of a message
 * @param messages how many
 * @param packetBytes payload of a packet, the unit that gets lost
 */
record Trial(Faults faults, int messageBytes, int messages, int packetBytes) {
  private static final int MIN_PACKET_BYTES = 64;
  private static final int MAX_PACKET_BYTES = 8896;
  private static final int MAX_MESSAGE_BYTES = 1 << 30;

  /** Checks the sizes; a {@link UsageException} says what is wrong. */
  Trial {
    if (packetBytes < MIN_PACKET_BYTES
        || packetBytes > MAX_PACKET_BYTES
        || packetBytes % MIN_PACKET_BYTES != 0) {
      throw new UsageException(
          "a packet carries "
              + MIN_PACKET_BYTES
              + " to "
              + MAX_PACKET_BYTES
              + " bytes in multiples of "
              + MIN_PACKET_BYTES
              + ", not "
              + packetBytes);
    }
    if (messageBytes < 1 || messageBytes > MAX_MESSAGE_BYTES || messages < 2) {
      throw new UsageException("at least 2 messages of 1 to " + MAX_MESSAGE_BYTES + " bytes");
    }
  }

  FaultPlan plan() {
    return faults.plan();
  }

  /** The same with another probability of loss. */
  Trial withLoss(double loss) {
    FaultPlan plan = faults.plan().withLoss(loss);
    return new Trial(new Faults(plan, faults.seed()), messageBytes, messages, packetBytes);
  }

  /** The same with other luck. */
  Trial withSeed(long seed) {
    return new Trial(new Faults(plan(), seed), messageBytes, messages, packetBytes);
  }

  /** Messages before the clock starts. */
  int warmUp() {
    return messages / 4;
  }

  /** All that is carried. */
  long volumeBytes() {
    return (long) messageBytes * messages;
  }

  /** Packets with payload, if none is repeated. */
  long packets() {
    return messages * ((messageBytes + (long) packetBytes - 1) / packetBytes);
  }

  /** (1 − p) · rate in bytes per second, headers included; 0 for a link without a rate. */
  double optimum() {
    return (1 - plan().lossProbability()) * plan().rateBytesPerSecond();
  }

  /** A round trip on the empty link. */
  long roundTripNs() {
    return 2 * plan().oneWayDelayMeanNs();
  }
}
