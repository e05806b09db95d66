// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import java.util.OptionalInt;

/**
 * Who makes what is put, once there is room for all of it: copies tensors from a device, or narrows
 * them.
 */
public interface TensorMaker {
  /**
   * A tensor that was made.
   *
   * @param tensor where it lies until the next one is asked for, or the put has ended
   * @param checksum its CRC-32C, where that is known: of what it was made of
   */
  record Made(HostTensor tensor, OptionalInt checksum) {}

  /**
   * Makes the tensor called {@code name}. It may be asked for one again, after others. What it
   * throws ends the put, of which nothing is left then. It must not use the store that asks, nor
   * wait for a thread that does.
   */
  Made make(String name, TensorSpec spec);
}
