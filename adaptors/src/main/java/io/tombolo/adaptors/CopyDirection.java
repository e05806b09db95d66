// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/** Where a copy reads and where it writes. */
public enum CopyDirection {
  HOST_TO_DEVICE,
  DEVICE_TO_HOST,
  DEVICE_TO_DEVICE
}
