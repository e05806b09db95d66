// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been opened, to be closed in reverse order. For one thread.
 *
 * <p>Who opens several things, and must leave none of them behind when a later one fails, opens
 * them in a {@code try} that ends with {@link #keep}:
 *
 * <pre>
 * try (CloseStack stack = new CloseStack()) {
 *   memory = stack.opened(NativeMemory.allocate(sizeBytes));
 *   region = stack.opened(domain.register(memory, access));
 *   stack.keep();
 * }
 * </pre>
 */
public final class CloseStack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** A stack of nothing yet. */
  public CloseStack() {}

  /** Takes {@code resource} on, to be closed before all that came earlier; returns it. */
  public <T extends AutoCloseable> T opened(T resource) {
    opened.push(resource);
    return resource;
  }

  /** Leaves everything open: from here on it is somebody else's to close. */
  public void keep() {
    opened.clear();
  }

  /** Closes everything; what cannot be closed is logged, and does not keep the rest open. */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      AutoCloseable next = opened.pop();
      try {
        next.close();
      } catch (Exception e) {
        LOG.warn("could not close {}: {}", next, e.toString());
      }
    }
  }
}
