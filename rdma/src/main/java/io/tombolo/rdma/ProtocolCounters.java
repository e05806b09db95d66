// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

/**
 * What a channel has done so far; read by the channel's thread, printed by tools.
 *
 * <p>Plain fields: a counter costs an addition, nothing else.
 */
public final class ProtocolCounters {
  /** Nothing has happened yet. */
  public ProtocolCounters() {}

  /** Chunks transmitted, first times and repeats. */
  public long chunksSent;

  /** Payload bytes transmitted, first times and repeats. */
  public long payloadBytesSent;

  /** Payload bytes of the repeats among them. */
  public long payloadBytesRepeated;

  /** Payload bytes that arrived for the first time. */
  public long payloadBytesReceived;

  /** Payload bytes copied from slabs or packets into place. */
  public long bytesCopied;

  /** Repeats because something sent later had arrived long enough ago (RACK). */
  public long resentByTime;

  /** Repeats because three things sent later had arrived. */
  public long resentByCount;

  /** Repeats of the last chunk to learn of a lost tail. */
  public long resentByProbe;

  /** Repeats because of a timeout. */
  public long resentByTimeout;

  /** Times a write was not repeated, and the peer asked instead, for want of news of it. */
  public long repeatsWithheld;

  /** Repeats that were due and never left: by then they might have met another's slot. */
  public long repeatsTooLate;

  /** Repeats in vain, as the peer reported. */
  public long spuriousResends;

  /** Packets of ours that came marked: a queue on their way was long (ECN, RFC 3168). */
  public long marks;

  /** Clear-to-sends repeated. */
  public long grantsResent;

  /** Times a clear-to-send that was lacking was asked for. */
  public long grantsRequested;

  /** Sends or receives refused because the queue was full. */
  public long backPressured;

  /** Times sending paused because the psn span was used up. */
  public long windowFull;

  /** Chunks that arrived again. */
  public long duplicates;

  /** Packets dropped as malformed, foreign or out of every window. */
  public long refused;

  /** Remote writes that the fence dropped. */
  public long fencedWrites;

  /** Counts what another channel has done, too. */
  public void add(ProtocolCounters more) {
    chunksSent += more.chunksSent;
    payloadBytesSent += more.payloadBytesSent;
    payloadBytesRepeated += more.payloadBytesRepeated;
    payloadBytesReceived += more.payloadBytesReceived;
    bytesCopied += more.bytesCopied;
    resentByTime += more.resentByTime;
    resentByCount += more.resentByCount;
    resentByProbe += more.resentByProbe;
    resentByTimeout += more.resentByTimeout;
    repeatsWithheld += more.repeatsWithheld;
    repeatsTooLate += more.repeatsTooLate;
    spuriousResends += more.spuriousResends;
    marks += more.marks;
    grantsResent += more.grantsResent;
    grantsRequested += more.grantsRequested;
    backPressured += more.backPressured;
    windowFull += more.windowFull;
    duplicates += more.duplicates;
    refused += more.refused;
    fencedWrites += more.fencedWrites;
  }

  /** Repeats because something sent later had arrived: by time and by count. */
  public long resentByDetector() {
    return resentByTime + resentByCount;
  }

  /** All repeats. */
  public long resent() {
    return resentByDetector() + resentByProbe + resentByTimeout;
  }
}
