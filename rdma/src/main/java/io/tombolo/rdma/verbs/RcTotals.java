// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.rdma.staged.MessageLink;

/** What a channel carried in its earlier lives. */
final class RcTotals {
  private long sentBytes;
  private long receivedBytes;
  private long copiedBytes;
  private long engineBytes;
  private long directBytes;

  /** The life of {@code ended} is over. */
  void add(MessageLink ended) {
    sentBytes += ended.sentBytes();
    receivedBytes += ended.receivedBytes();
    copiedBytes += ended.copiedBytes();
    engineBytes += ended.engineBytes();
    directBytes += ended.directBytes();
  }

  long sentBytes() {
    return sentBytes;
  }

  long receivedBytes() {
    return receivedBytes;
  }

  long copiedBytes() {
    return copiedBytes;
  }

  long engineBytes() {
    return engineBytes;
  }

  long directBytes() {
    return directBytes;
  }
}
