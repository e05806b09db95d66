// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;

/** The registration of a simulated channel. */
final class SimKey extends AbstractSelectionKey {
  private final SimSelector selector;
  private final SelectableChannel channel;
  private int interest;
  private int ready;

  SimKey(SimSelector selector, SelectableChannel channel) {
    this.selector = selector;
    this.channel = channel;
  }

  boolean isReady() {
    return isValid() && channel.isOpen() && (((SimSelectable) channel).readyOps() & interest) != 0;
  }

  /** Whether it is ready, and from now on the one who asks sees for what. */
  boolean take() {
    ready = isReady() ? ((SimSelectable) channel).readyOps() & interest : 0;
    return ready != 0;
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public Selector selector() {
    return selector;
  }

  @Override
  public int interestOps() {
    ensureValid();
    return interest;
  }

  @Override
  public SelectionKey interestOps(int operations) {
    ensureValid();
    interest = operations;
    return this;
  }

  @Override
  public int readyOps() {
    ensureValid();
    return ready;
  }

  private void ensureValid() {
    if (!isValid()) {
      throw new CancelledKeyException();
    }
  }
}
