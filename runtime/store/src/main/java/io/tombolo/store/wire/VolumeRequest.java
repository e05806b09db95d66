// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;

/**
 * What a client asks a volume. Each request has one {@link Reply}, but for {@link Send}, {@link
 * Abort}, {@link Release}, {@link SendBoxes} and {@link Finish}, which have none.
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

  /**
   * The bytes of those tensors of {@code put} follow, of {@code count} from {@code first} on and
   * one after the other, that have not come whole yet, by {@link Pull} or an earlier one of these.
   * No reply.
   */
  record Send(long put, int first, int count) implements VolumeRequest {}

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

  /** A lease on a version of {@code stateDict} that is kept. Reply: {@link Reply.Leased}. */
  record OpenKept(String stateDict, long version) implements VolumeRequest {}

  /**
   * A lease on what a holder shows of {@code stateDict}, once its version is {@code atLeast} or
   * later. Reply: {@link Reply.Held}, or {@link Reply.NotYet} after {@code waitMs}.
   */
  record OpenHeld(String stateDict, long atLeast, int waitMs) implements VolumeRequest {}

  /** The bytes of {@code part} of a leased tensor. Reply: {@link Reply.BytesFollow}. */
  record Read(long lease, int index, Box part) implements VolumeRequest {}

  /** The checksum of what is there now of a leased tensor. Reply: {@link Reply.Checksum}. */
  record Check(long lease, int index) implements VolumeRequest {}

  /** Whether {@code lease} still holds. Reply: {@link Reply.Intact}, or a refusal if it is void. */
  record Confirm(long lease) implements VolumeRequest {}

  /** Nobody reads what {@code lease} stands for any more. No reply. */
  record Release(long lease) implements VolumeRequest {}

  /**
   * A way for one-sided reads of this client's, in place of the one before. Reply: {@link
   * Reply.Reached}, or a refusal if there is none.
   *
   * @param card of the client's end
   */
  record Reach(ImmutableList<Byte> card) implements VolumeRequest {}

  /**
   * What opens a leased tensor for one-sided reads, until its room is given back. Reply: {@link
   * Reply.Exposed}, or a refusal if it is not read so.
   */
  record Expose(long lease, int index) implements VolumeRequest {}

  /**
   * A way for the volume's own one-sided reads from this client, in place of the one before. Reply:
   * {@link Reply.Reached} with the card of the volume's end, or a refusal if there is none.
   */
  record Dial() implements VolumeRequest {}

  /**
   * The other end of that way, once. Reply: {@link Reply.Done}, or a refusal.
   *
   * @param card of the client's end
   */
  record Connect(ImmutableList<Byte> card) implements VolumeRequest {}

  /**
   * The next bytes of a tensor that is put, for the volume to read from the client's memory. Reply:
   * {@link Reply.Done} once they are there, or a refusal: then nothing of the tensor is, and the
   * way has ended.
   *
   * @param put they belong to
   * @param index of the tensor in it
   * @param offset of the first of them in the tensor, which is how many have come
   * @param sizeBytes how many; at most {@link WireBounds#PULL_BYTES}
   * @param key what opens the client's memory
   * @param from where they begin in that
   * @param waitMs how long the volume may take
   */
  record Pull(
      long put,
      int index,
      long offset,
      long sizeBytes,
      ImmutableList<Byte> key,
      long from,
      int waitMs)
      implements VolumeRequest {}

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

  /**
   * Versions that several write together, and have not finished. Reply: {@link Reply.Unfinished}.
   */
  record ListJoint() implements VolumeRequest {}

  /** What this process holds and shows. Reply: {@link Reply.Shown}. */
  record ListHeld() implements VolumeRequest {}

  /** What one asks who writes a version together with others. */
  sealed interface Joint extends VolumeRequest {}

  /**
   * Takes part in a version. Reply: {@link Reply.Joined}; what comes of it, {@link AwaitJoint}
   * says.
   *
   * @param stateDict whose next version it will be
   * @param round what all its writers call it
   * @param writers how many there are
   * @param writer which of them this is, from 0 on
   * @param patienceMs how long it is ready to wait: so long is a failure told to those who are late
   * @param mapped whether it writes to the volume's memory itself
   * @param parts what it has
   */
  record Join(
      String stateDict,
      String round,
      int writers,
      int writer,
      int patienceMs,
      boolean mapped,
      ImmutableList<NamedPart> parts)
      implements Joint {}

  /**
   * What is next. Reply: {@link Reply.Allotted} when this writer is to write, {@link
   * Reply.Committed} when all have, {@link Reply.Awaiting} after {@code waitMs} of neither; {@link
   * Reply.Refused} if the version fails.
   */
  record AwaitJoint(long put, int waitMs) implements Joint {}

  /**
   * The bytes of the boxes allotted in {@code put} follow, of {@code count} more of its parts, one
   * after the other. No reply.
   */
  record SendBoxes(long put, int count) implements Joint {}

  /**
   * All bytes allotted in {@code put} are there. No reply.
   *
   * @param checksums what the writer's boxes of each of its parts add to the whole tensor's
   */
  record Finish(long put, ImmutableList<Integer> checksums) implements Joint {}

  /**
   * Nobody writes for {@code put} any more: unless the version is visible already, it fails. Reply:
   * {@link Reply.Committed} or {@link Reply.Refused}.
   */
  record Leave(long put, String reason) implements Joint {}
}
