package io.tombolo.runtime.equipment;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has been opened, to be closed in reverse order. For one thread. */
public final class CloseStack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Takes {@code resource} on, to be closed before all that came earlier; returns it. */
  public <T extends AutoCloseable> T opened(T resource) {
    opened.push(resource);
    return resource;
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
