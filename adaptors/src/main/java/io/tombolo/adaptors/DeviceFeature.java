// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import java.util.Locale;

/** What some device runtimes have and others lack; {@link DeviceAdaptor#features} tells. */
public enum DeviceFeature {
  /** {@link DeviceAdaptor#allocateManaged}. */
  MANAGED_MEMORY,
  /** {@link Stream#launchHostFunction}. */
  HOST_FUNCTIONS,
  /** {@link DeviceAdaptor#canAccessPeer} and {@link DeviceAdaptor#enablePeerAccess}. */
  PEER_ACCESS;

  /** As in a sentence. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
