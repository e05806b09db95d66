// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's way for one-sided reads. Used by its connection's thread. */
final class ReadSession {
  private static final Logger LOG = LoggerFactory.getLogger(ReadSession.class);

  private final Catalog catalog;
  private final Exposures exposures;
  private final String client;
  private Optional<OneSidedReads.Holder> way = Optional.empty();

  ReadSession(Catalog catalog, Exposures exposures, String client) {
    this.catalog = catalog;
    this.exposures = exposures;
    this.client = client;
  }

  /** Makes a way, in place of the one before. */
  Reply reach(VolumeRequest.Reach reach) {
    end();
    try {
      OneSidedReads.Holder made = exposures.holder();
      way = Optional.of(made);
      return new Reply.Reached(list(made.connect(Bytes.toArray(reach.card()))));
    } catch (TomboloException e) {
      LOG.debug("{} reads over its connection: {}", client, e.getMessage());
      end();
      return refused(e.getMessage());
    }
  }

  /** What opens a tensor of a lease, for as long as that holds. */
  Reply expose(Lease lease, StoredTensor tensor) {
    if (tensor.registered().isPresent()) {
      return refused("a program's own memory is read over the connection");
    }
    if (tensor.sizeBytes() == 0) {
      return refused("it has no bytes");
    }
    if (!catalog.pin(lease, tensor)) {
      return Reply.Refused.withdrawn();
    }
    try {
      return new Reply.Exposed(list(exposures.keyOf(tensor)));
    } catch (TomboloException e) {
      LOG.debug("{} reads '{}' over its connection: {}", client, tensor.name(), e.getMessage());
      return refused(e.getMessage());
    } finally {
      catalog.unpin(tensor);
    }
  }

  /** Ends the way, if there is one. */
  void end() {
    Optional<OneSidedReads.Holder> before = way;
    way = Optional.empty();
    try {
      before.ifPresent(OneSidedReads.Holder::close);
    } catch (TomboloException e) {
      LOG.warn("the way for one-sided reads of {} does not end: {}", client, e.getMessage());
    }
  }

  private static Reply refused(String reason) {
    return new Reply.Refused(Reply.Reason.ONE_SIDED, reason);
  }

  private static ImmutableList<Byte> list(byte[] bytes) {
    return ImmutableList.copyOf(Bytes.asList(bytes));
  }
}
