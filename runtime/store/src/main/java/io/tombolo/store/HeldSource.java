// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Place;

/** What a holder has of a tensor: part {@code index} of its lease. */
record HeldSource(HeldLease lease, int index) {
  /** Where the reader is. */
  static final Place HERE = new Place("here", "here", "");

  HeldPart part() {
    return lease.held().parts().get(index);
  }

  Box box() {
    return part().part().box();
  }

  TensorSpec whole() {
    return part().part().tensor().spec();
  }

  /** What shares memory is on this host; all else is equally far. */
  Place place() {
    String where = lease.holder().link().where();
    return new Place(where, lease.isShared(part()) ? HERE.host() : where, "");
  }
}
