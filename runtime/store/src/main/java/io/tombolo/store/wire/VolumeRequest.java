// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;

/**
 * What a client asks a volume. Each request has one {@link Reply}, but for {@link Send}, {@link
 * Abort} and {@link Release}, which have none.
 */
public sealed interface VolumeRequest {
  /** The request as bytes, with their length before them. */
  default ByteBuffer frame() {
    return RequestCodec.frame(this);
  }

  /**
   * Room for tensors, which nobody sees before {@link Commit}. Reply: {@link Reply.Granted}.
   *
   * @param stateDict whose next version they will be; empty if each is put under its own name
   * @param tensors what will come
   */
  record Begin(String stateDict, ImmutableList<NamedSpec> tensors) implements VolumeRequest {}

  /** The bytes of all tensors of {@code put} follow, one after the other. No reply. */
  record Send(long put) implements VolumeRequest {}

  /**
   * All bytes of {@code put} are there. Reply: {@link Reply.Committed}.
   *
   * @param checksums CRC-32C of each tensor, computed where they came from
   */
  record Commit(long put, ImmutableList<Integer> checksums) implements VolumeRequest {}

  /** Nothing more comes for {@code put}, and nobody writes to its room any more. No reply. */
  record Abort(long put) implements VolumeRequest {}

  /** A lease on these tensors, as they are now. Reply: {@link Reply.Leased}. */
  record OpenTensors(ImmutableList<String> names) implements VolumeRequest {}

  /**
   * A lease on the newest version of {@code stateDict}, once there is one after {@code newerThan}.
   * Reply: {@link Reply.Leased}, or {@link Reply.NotYet} after {@code waitMs}.
   */
  record OpenVersion(String stateDict, long newerThan, int waitMs) implements VolumeRequest {}

  /** The bytes of {@code part} of a leased tensor. Reply: {@link Reply.BytesFollow}. */
  record Read(long lease, int index, Box part) implements VolumeRequest {}

  /** The checksum of what is there now of a leased tensor. Reply: {@link Reply.Checksum}. */
  record Check(long lease, int index) implements VolumeRequest {}

  /** Nobody reads what {@code lease} stands for any more. No reply. */
  record Release(long lease) implements VolumeRequest {}

  /** Forgets these tensors. Reply: {@link Reply.Count} of those that there were. */
  record Delete(ImmutableList<String> names) implements VolumeRequest {}

  /** Forgets all versions of {@code stateDict}. Reply: {@link Reply.Count} of versions. */
  record Drop(String stateDict) implements VolumeRequest {}

  /**
   * Tensors whose names begin so, from after {@code after} on, at most so many. Reply: {@link
   * Reply.Tensors}.
   */
  record ListTensors(String prefix, String after, int most) implements VolumeRequest {}

  /** State dicts, likewise. Reply: {@link Reply.StateDicts}. */
  record ListStateDicts(String prefix, String after, int most) implements VolumeRequest {}

  /** How the volume is. Reply: {@link Reply.Volume}. */
  record Stat() implements VolumeRequest {}
}
