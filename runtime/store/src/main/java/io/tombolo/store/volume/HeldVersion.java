// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.store.wire.LeaseFence;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.Reply;
import java.util.Optional;

/**
 * What this process shows of a state dict.
 *
 * @param version its number
 * @param rank which of the holders this process is
 * @param parts what it has of which tensors
 * @param tensors the same parts, as they lie in its memory
 * @param registration of their memory, if that is the program's own
 */
record HeldVersion(
    long version,
    HolderRank rank,
    ImmutableList<NamedPart> parts,
    ImmutableList<StoredTensor> tensors,
    Optional<TensorRegistration> registration) {

  HeldListing listing(String stateDict) {
    long sizeBytes = tensors.stream().mapToLong(StoredTensor::sizeBytes).sum();
    return new HeldListing(stateDict, rank, version, tensors.size(), sizeBytes);
  }

  /** What a reader is told whose lease has this number, and is under this fence. */
  Reply reply(long lease, LeaseFence fence) {
    ImmutableList.Builder<HeldPart> told = ImmutableList.builder();
    for (int index = 0; index < parts.size(); index++) {
      told.add(tensors.get(index).held(parts.get(index)));
    }
    return new Reply.Held(lease, version, rank, fence, told.build());
  }
}
