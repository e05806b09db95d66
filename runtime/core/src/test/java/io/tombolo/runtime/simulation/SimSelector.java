// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A selector of simulated channels. */
final class SimSelector extends AbstractSelector {
  private final World world;
  private final Set<SelectionKey> keys = new LinkedHashSet<>();
  private final Set<SelectionKey> selected = new LinkedHashSet<>();
  private boolean woken;

  SimSelector(SimThread opener) {
    super(new SimProvider(opener));
    this.world = opener.world;
  }

  @Override
  protected void implCloseSelector() {
    for (SelectionKey key : List.copyOf(keys)) {
      key.cancel();
    }
    forgetCancelled();
    woken = true;
    world.stir();
  }

  @Override
  protected SelectionKey register(
      AbstractSelectableChannel channel, int operations, Object attachment) {
    SimKey key = new SimKey(this, channel);
    key.attach(attachment);
    key.interestOps(operations);
    keys.add(key);
    return key;
  }

  @Override
  public Set<SelectionKey> keys() {
    return keys;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    ensureOpen();
    return selected;
  }

  @Override
  public int selectNow() {
    world.point();
    ensureOpen();
    return gather();
  }

  @Override
  public int select(long timeoutMs) {
    ensureOpen();
    forgetCancelled();
    SimThread mine = SimThread.here();
    long untilNs = timeoutMs == 0 ? Long.MAX_VALUE : world.nowNs() + timeoutMs * 1_000_000;
    world.await("select", () -> woken || mine.interrupted || isReady(), untilNs);
    woken = false;
    ensureOpen();
    return gather();
  }

  @Override
  public int select() {
    return select(0);
  }

  @Override
  public int select(Consumer<SelectionKey> action, long timeoutMs) {
    selected.clear();
    int count = select(timeoutMs);
    List<SelectionKey> ready = new ArrayList<>(selected);
    selected.clear();
    ready.forEach(action);
    return count;
  }

  @Override
  public Selector wakeup() {
    woken = true;
    world.stir();
    world.point();
    return this;
  }

  private void ensureOpen() {
    if (!isOpen()) {
      throw new ClosedSelectorException();
    }
  }

  private boolean isReady() {
    for (SelectionKey key : keys) {
      if (((SimKey) key).isReady()) {
        return true;
      }
    }
    return false;
  }

  private int gather() {
    forgetCancelled();
    int count = 0;
    for (SelectionKey key : keys) {
      if (((SimKey) key).take() && selected.add(key)) {
        count++;
      }
    }
    return count;
  }

  private void forgetCancelled() {
    for (SelectionKey key : cancelledKeys()) {
      keys.remove(key);
      selected.remove(key);
      deregister((SimKey) key);
    }
    cancelledKeys().clear();
  }
}
