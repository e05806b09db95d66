// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

/** What a selector sees of a channel. */
interface SimSelectable {
  /** The operations of {@link java.nio.channels.SelectionKey} that would not wait now. */
  int readyOps();

  /** Whether a descriptor of it would be readable. */
  boolean isReadable();
}
