// SPDX-License-Identifier: Apache-2.0
/**
 * Where tensors are, and how they get to other places; start at {@link io.tombolo.tensors.reshard}.
 */
module io.tombolo.tensors {
  requires transitive io.tombolo.base;

  exports io.tombolo.tensors.layout;
  exports io.tombolo.tensors.reshard;
}
