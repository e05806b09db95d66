// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import io.tombolo.store.value.VolumeFigures;
import java.nio.ByteBuffer;

/** What a volume answers. */
public sealed interface Reply {
  /** The reply as bytes, with their length before them. */
  default ByteBuffer frame() {
    return ReplyCodec.frame(this);
  }

  /**
   * What the tensors of a put may be written to, here or by {@link VolumeRequest.Send}.
   *
   * @param put its number on this connection
   * @param offsets where each begins in the volume's memory
   */
  record Granted(long put, ImmutableList<Long> offsets) implements Reply {}

  /** A put is visible from now on; {@code version} is 0 unless it is one of a state dict. */
  record Committed(long version) implements Reply {}

  /**
   * Tensors that stay as they are until {@link VolumeRequest.Release}.
   *
   * @param lease its number on this connection
   * @param version of a state dict; else 0
   * @param tensors in the order they were asked for, or put
   */
  record Leased(long lease, long version, ImmutableList<LeasedTensor> tensors) implements Reply {}

  /**
   * Parts in a holder's memory that stay as they are until {@link VolumeRequest.Release}.
   *
   * @param lease its number on this connection
   * @param version of the state dict
   * @param rank which of the holders this is
   * @param fence under which the lease is: void once that is dropped
   * @param parts what it has; their order is that of their numbers
   */
  record Held(
      long lease, long version, HolderRank rank, LeaseFence fence, ImmutableList<HeldPart> parts)
      implements Reply {}

  /** The lease holds. */
  record Intact() implements Reply {}

  /** It was done. */
  record Done() implements Reply {}

  /** A way for one-sided reads; {@code card} is of the volume's end. */
  record Reached(ImmutableList<Byte> card) implements Reply {}

  /** A tensor may be read one-sidedly by who shows {@code key}, until its room is given back. */
  record Exposed(ImmutableList<Byte> key) implements Reply {}

  /** There is no newer version yet. */
  record NotYet() implements Reply {}

  /** So many bytes follow. */
  record BytesFollow(long sizeBytes) implements Reply {}

  /** A CRC-32C. */
  record Checksum(int value) implements Reply {}

  /** A number of things. */
  record Count(long value) implements Reply {}

  /** Tensors in the order of their names; {@code more} if there are others. */
  record Tensors(ImmutableList<TensorListing> rows, boolean more) implements Reply {}

  /** State dicts, likewise. */
  record StateDicts(ImmutableList<StateDictListing> rows, boolean more) implements Reply {}

  /** How a volume is. */
  record Volume(VolumeFigures figures) implements Reply {}

  /** The writer's number of a version that several write together, on this connection. */
  record Joined(long put) implements Reply {}

  /** All writers have come; for each part that this one has, what it writes of it. */
  record Allotted(ImmutableList<Allotment> parts) implements Reply {}

  /** These writers have not come yet; or, if this one has written, they have not finished. */
  record Awaiting(ImmutableList<Integer> writers) implements Reply {}

  /** Versions that several write together, and have not finished. */
  record Unfinished(ImmutableList<JointListing> rows) implements Reply {}

  /** What a holder shows. */
  record Shown(ImmutableList<HeldListing> rows) implements Reply {}

  /** It was not done; the connection is usable. */
  record Refused(Reason reason, String message) implements Reply {
    /** What was lent has been taken back. */
    public static Refused withdrawn() {
      return new Refused(Reason.WITHDRAWN, "it has been withdrawn; open it again once it is shown");
    }

    /** The error that the client's caller gets. */
    public TomboloException error() {
      return switch (reason) {
        case USAGE -> new UsageException(message);
        case ROOM -> new ResourceException(message);
        case CORRUPT -> new CorruptException(message);
        case MISMATCH -> new MismatchException(message);
        case PEER -> new PeerFailedException(message);
        case WITHDRAWN -> new AbortedException(message);
        case ONE_SIDED -> new UnavailableException(message);
      };
    }
  }

  /** Why a volume refuses. */
  enum Reason {
    /** What was asked for makes no sense, or is not there. */
    USAGE(1),
    /** It does not fit. */
    ROOM(2),
    /** Bytes are not what they were. */
    CORRUPT(3),
    /** Those who write together do not agree. */
    MISMATCH(4),
    /** One of those who write together has gone, or has given up. */
    PEER(5),
    /** The lease is void. */
    WITHDRAWN(6),
    /** It does not go one-sidedly; the connection is the way. */
    ONE_SIDED(7);

    private final int code;

    Reason(int code) {
      this.code = code;
    }

    /** Its number on the wire. */
    int code() {
      return code;
    }
  }
}
