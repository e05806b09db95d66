// SPDX-License-Identifier: Apache-2.0
/** What {@code libtombolo.so} calls; start at {@link io.tombolo.capi}. */
module io.tombolo.capi {
  requires io.tombolo.runtime;
  requires io.tombolo.store;
  requires org.slf4j;
}
