// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.GsonBuilder;

/**
 * What one run gave. In JSON the names have underscores: {@code optimum_percent}.
 *
 * @param fabric what carried the packets
 * @param protocol what mended the losses
 * @param loss probability per packet, each way
 * @param goodput payload bytes that arrived per second, after a warm-up
 * @param optimumPercent goodput in percent of (1 − p) · rate; null for a link without a rate
 * @param seconds from the first packet to the last message; simulated seconds on {@code sim}
 * @param payloadBytes carried
 * @param wireBytes both ways, headers, acknowledgements and lost packets included
 * @param packetsPerSecond packets with payload, per second
 * @param resentByTime repeats because something sent later had arrived long enough ago (RACK)
 * @param resentByCount repeats because three sent later had arrived
 * @param resentByProbe repeats of a last packet, to learn what became of it
 * @param resentByTimeout repeats because nothing was heard
 * @param spurious repeats in vain, as the receiver reported
 * @param recovery time from the first transmission of a repeated packet to its acknowledgement
 * @param allocatedBytesPerMessage bytes of heap per message, both ends together; null where only
 *     the simulation would be measured
 */
record LossResult(
    String fabric,
    String protocol,
    double loss,
    double goodput,
    Double optimumPercent,
    double seconds,
    long payloadBytes,
    long wireBytes,
    double packetsPerSecond,
    long resentByTime,
    long resentByCount,
    long resentByProbe,
    long resentByTimeout,
    long spurious,
    Recovery recovery,
    Double allocatedBytesPerMessage) {

  /** The same, with {@code bytes} of heap for each message. */
  LossResult withGarbage(double bytes) {
    return new LossResult(
        fabric,
        protocol,
        loss,
        goodput,
        optimumPercent,
        seconds,
        payloadBytes,
        wireBytes,
        packetsPerSecond,
        resentByTime,
        resentByCount,
        resentByProbe,
        resentByTimeout,
        spurious,
        recovery,
        bytes);
  }

  /** All repeats. */
  long resent() {
    return resentByTime + resentByCount + resentByProbe + resentByTimeout;
  }

  /** Who it was: {@code udp}, {@code udp/tcp}. */
  String candidate() {
    return protocol.equals(Candidates.OURS) ? fabric : fabric + "/" + protocol;
  }

  /** As a JSON object on one line. */
  String toJson() {
    return new GsonBuilder()
        .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
        .create()
        .toJson(this);
  }
}
