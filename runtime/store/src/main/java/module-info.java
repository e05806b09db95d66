// SPDX-License-Identifier: Apache-2.0
/**
 * A store for tensors, which processes of any job put them into and get them from; start at {@link
 * io.tombolo.store.TensorStore}.
 */
module io.tombolo.store {
  requires transitive io.tombolo.base;
  requires transitive io.tombolo.tensors;
  requires org.slf4j;

  exports io.tombolo.store;
  exports io.tombolo.store.cast;
  exports io.tombolo.store.value;
  exports io.tombolo.store.volume;
}
