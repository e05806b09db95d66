// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Scheme;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What one subtree of ranks says about one operation: the call they all made, and if they differ,
 * one that differs.
 *
 * <p>On the wire, 80 bytes little-endian:
 *
 * <pre>
 *  0  magic "TBVT"    4  version u8    5  differs u8    6  way of the call u8
 *  7  way of the other call u8               8  sequence i64
 * 16  call: rank i32, collective u8, type u8, op u8, reduction u8, count i64, root i32,
 *     more calls of the group u32, digest of what else must agree u64      (32 bytes)
 * 48  other call, if they differ                                           (32 bytes)
 * </pre>
 *
 * @param sequence the operation's number on its communicator
 * @param call a call of the subtree
 * @param other a different call of the subtree, if there is one
 */
record Vote(long sequence, Ballot call, Optional<Ballot> other) {
  /** Bytes on the wire. */
  static final int SIZE_BYTES = 80;

  private static final int WAY = 6;
  private static final int OTHER_WAY = 7;
  private static final int CALL = 16;
  private static final int OTHER = 48;

  private static final String SAME_CALLS =
      "every rank must make the same calls in the same order; restart the job";
  private static final String SAME_REST =
      "what differs is not told here: counts of blocks, a function, calls of a group, or how another"
          + " build or tuner plans; ";
  private static final String SAME_PLANS =
      "equal calls must be planned alike; run the same build on every rank, with a tuner"
          + " (TOMBOLO_TUNER) that goes only by what all ranks know";

  private static final int MAGIC = 0x54564254;
  private static final byte VERSION = 2;

  /**
   * One rank's call, or the first of a group of calls; whether it is in place is the rank's own
   * business.
   *
   * @param reduction how elements combine: nothing, an operator, a pre-multiplied sum, a user's
   *     function
   * @param count elements of the vector, or of all blocks; 0 where ranks differ in them
   * @param more other calls of the group
   * @param way how it is planned
   * @param digest of the communicator, of what all ranks plan alike, of the counts of uneven blocks
   *     and the name of a user's function; in a group, of all calls and plans
   */
  record Ballot(
      int rank,
      Collective collective,
      DataType type,
      ReduceOp op,
      Reduction.Kind reduction,
      long count,
      int root,
      int more,
      Scheme.Way way,
      long digest) {
    private static final HashFunction DIGEST = Hashing.farmHashFingerprint64();
    private static final Scheme OF_GROUP = new Scheme(Scheme.Way.SEVERAL, 0);

    /** Of several calls. */
    static Ballot of(int rank, long group, Submission submission) {
      CollectiveCall first = submission.calls().get(0);
      int others = submission.calls().size() - 1;
      return of(rank, first, others, Scheme.Way.SEVERAL, digest(group, submission));
    }

    /** Of all calls, and of what was made of them. */
    private static long digest(long group, Submission submission) {
      int bytes = OTHER - CALL;
      int ballots = submission.calls().size() + submission.tasks().size();
      ByteBuffer all = ByteBuffer.allocate(ballots * bytes);
      int at = 0;
      for (CollectiveCall call : submission.calls()) {
        Vote.encode(all, at, of(0, group, call, OF_GROUP));
        at += bytes;
      }
      for (Task task : submission.tasks()) {
        Plan plan = task.plan();
        Vote.encode(all, at, of(0, group, plan.call(), plan.scheme()));
        at += bytes;
      }
      return DIGEST.hashBytes(all.array()).asLong();
    }

    /** Of one call. */
    static Ballot of(int rank, long group, CollectiveCall call, Scheme scheme) {
      long digest =
          DIGEST
              .newHasher()
              .putLong(group)
              .putInt(scheme.way().code())
              .putLong(scheme.digest())
              .putString(call.layout().agreedText() + call.reduction().name(), UTF_8)
              .hash()
              .asLong();
      return of(rank, call, 0, scheme.way(), digest);
    }

    private static Ballot of(int rank, CollectiveCall call, int more, Scheme.Way way, long digest) {
      return new Ballot(
          rank,
          call.collective(),
          call.type(),
          call.reduction() instanceof Reduction.By by ? by.op() : call.reduction().inner(),
          call.reduction().kind(),
          call.layout().agreedCount(),
          call.root(),
          more,
          way,
          digest);
    }

    private boolean isRepeatedAt(ByteBuffer buffer, int at) {
      return buffer.get(at + 4) == (byte) collective.code()
          && buffer.get(at + 5) == (byte) type.code()
          && buffer.get(at + 6) == (byte) op.code()
          && buffer.get(at + 7) == (byte) reduction.code()
          && buffer.getLong(at + 8) == count
          && buffer.getInt(at + 16) == root
          && buffer.getInt(at + 20) == more
          && buffer.getLong(at + 24) == digest;
    }

    boolean sameCallAs(Ballot that) {
      return sameWordsAs(that) && way == that.way && digest == that.digest;
    }

    /** Whether what can be told of the calls is the same. */
    private boolean sameWordsAs(Ballot that) {
      return collective == that.collective
          && type == that.type
          && op == that.op
          && reduction == that.reduction
          && count == that.count
          && root == that.root
          && more == that.more;
    }

    /** How this call and that one differ, and what to do about it. */
    private String against(Ballot that) {
      if (sameWordsAs(that) && way != that.way) {
        return "rank %s plans %s as %s, but rank %s as %s; %s"
            .formatted(rank, words(), way.text(), that.rank, that.way.text(), SAME_PLANS);
      }
      return "%s, but %s; %s%s"
          .formatted(this, that, sameWordsAs(that) ? SAME_REST : "", SAME_CALLS);
    }

    @Override
    public String toString() {
      return "rank " + rank + " called " + words();
    }

    private String words() {
      return collective.text()
          + " of "
          + count
          + " "
          + type.text()
          + combining()
          + (collective.isRooted() ? ", root " + root : "")
          + (more == 0 ? "" : " and %s more (digest %x)".formatted(more, digest));
    }

    private String combining() {
      return switch (reduction) {
        case NONE -> "";
        case BY -> " by " + op.text();
        case PRE_MULTIPLIED -> " by sum after multiplying";
        case USER_DEFINED -> " by a function (digest " + Long.toHexString(digest) + ")";
      };
    }
  }

  /** What both subtrees say together: the first difference found wins. */
  Vote and(Vote that) {
    if (other.isPresent() || (that.other.isEmpty() && call.sameCallAs(that.call))) {
      return this;
    }
    return that.other.isPresent() ? that : new Vote(sequence, call, Optional.of(that.call));
  }

  /** How the two calls differ that were seen, and what to do about it. */
  String mismatch() {
    return call.against(other.orElseThrow());
  }

  void encode(ByteBuffer buffer) {
    Ballot second = other.orElse(call);
    buffer
        .putInt(0, MAGIC)
        .put(4, VERSION)
        .put(5, (byte) (other.isPresent() ? 1 : 0))
        .put(WAY, (byte) call.way.code())
        .put(OTHER_WAY, (byte) second.way.code())
        .putLong(8, sequence);
    encode(buffer, CALL, call);
    encode(buffer, OTHER, second);
  }

  private static void encode(ByteBuffer buffer, int at, Ballot ballot) {
    buffer
        .putInt(at, ballot.rank)
        .put(at + 4, (byte) ballot.collective.code())
        .put(at + 5, (byte) ballot.type.code())
        .put(at + 6, (byte) ballot.op.code())
        .put(at + 7, (byte) ballot.reduction.code())
        .putLong(at + 8, ballot.count)
        .putInt(at + 16, ballot.root)
        .putInt(at + 20, ballot.more)
        .putLong(at + 24, ballot.digest);
  }

  /**
   * Whether {@code buffer} holds this vote as another rank casts it: then nobody needs to read it.
   * So it is with all votes of a job that goes well, and they make no garbage.
   */
  boolean isRepeatedIn(ByteBuffer buffer) {
    return other.isEmpty()
        && buffer.getInt(0) == MAGIC
        && buffer.get(4) == VERSION
        && buffer.get(5) == 0
        && buffer.get(WAY) == (byte) call.way.code()
        && buffer.getLong(8) == sequence
        && call.isRepeatedAt(buffer, CALL);
  }

  /** Reads a vote; a {@link CorruptException} says what no correct peer sends. */
  static Vote decode(ByteBuffer buffer) {
    if (buffer.getInt(0) != MAGIC
        || buffer.get(4) != VERSION
        || buffer.get(5) < 0
        || buffer.get(5) > 1) {
      throw new CorruptException(
          "a vote starts with " + Long.toHexString(buffer.getLong(0)) + ", which none does");
    }
    Optional<Ballot> other =
        buffer.get(5) == 1 ? Optional.of(ballot(buffer, OTHER, OTHER_WAY)) : Optional.empty();
    return new Vote(buffer.getLong(8), ballot(buffer, CALL, WAY), other);
  }

  private static Ballot ballot(ByteBuffer buffer, int at, int wayAt) {
    int rank = buffer.getInt(at);
    long count = buffer.getLong(at + 8);
    int root = buffer.getInt(at + 16);
    int more = buffer.getInt(at + 20);
    if (rank < 0 || count < 0 || root < 0 || more < 0) {
      throw new CorruptException(
          "a vote names rank %s, count %s, root %s and %s more calls"
              .formatted(rank, count, root, more));
    }
    return new Ballot(
        rank,
        collective(buffer.get(at + 4)),
        pick(DataType.values(), buffer.get(at + 5)),
        pick(ReduceOp.values(), buffer.get(at + 6)),
        pick(Reduction.Kind.values(), buffer.get(at + 7)),
        count,
        root,
        more,
        pick(Scheme.Way.values(), buffer.get(wayAt)),
        buffer.getLong(at + 24));
  }

  private static Collective collective(byte code) {
    return Collective.ofCode(code).orElseThrow(() -> unknown(code));
  }

  /** The other codes are the constants' positions; a test holds that true. */
  private static <T> T pick(T[] values, byte code) {
    if (code < 0 || code >= values.length) {
      throw unknown(code);
    }
    return values[code];
  }

  private static CorruptException unknown(byte code) {
    return new CorruptException("a vote holds code " + code + ", which stands for nothing");
  }
}
