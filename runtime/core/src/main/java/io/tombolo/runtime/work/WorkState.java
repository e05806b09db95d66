// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.List;

/**
 * Where an operation stands, as it lies in the native word at {@link Work#stateAddress}:
 *
 * <pre>
 * bits 0–7    phase: 0 queued, 1 started, 2 done, 3 failed, 4 failed with its buffers still in use
 * bits 8–15   kind of the error, 0 if there is none; docs/streams-and-threads.md lists them
 * bits 16–63  number of the operation on its communicator, from 1
 * </pre>
 *
 * <p>Words are used again by later operations. As the first failure ends a communicator, a word
 * with a later number than an operation's says that the operation ended well.
 *
 * @param phase where it stands
 * @param error kind of its error
 * @param sequence its number, less than 2⁴⁸
 */
public record WorkState(Phase phase, int error, long sequence) {
  private static final int ERROR_AT = 8;
  private static final int SEQUENCE_AT = 16;
  private static final int BYTE = 0xFF;

  /** A kind's number is its place here plus one. */
  private static final List<Class<? extends TomboloException>> KINDS =
      List.of(
          UsageException.class,
          UnsupportedException.class,
          UnavailableException.class,
          MismatchException.class,
          PeerFailedException.class,
          DeadlineExceededException.class,
          AbortedException.class,
          NoQuorumException.class,
          VendorException.class,
          FabricException.class,
          CorruptException.class,
          ResourceException.class);

  /** The phases of an operation. */
  public enum Phase {
    /** Its stream has not reached it. */
    QUEUED(0),
    /** Its stream has reached it. */
    STARTED(1),
    /** It ended well. */
    DONE(2),
    /** It failed, and nothing touches its buffers any more. */
    FAILED(3),
    /** It failed, and a library that nobody can stop may still use its buffers. */
    FAILED_HOLDING_BUFFERS(4);

    private final int code;

    Phase(int code) {
      this.code = code;
    }
  }

  /** The number of {@code error}'s kind. */
  public static int kindOf(TomboloException error) {
    return KINDS.indexOf(error.getClass()) + 1;
  }

  /** The kinds' names; the number of a kind is its place plus one. */
  static List<String> kinds() {
    return KINDS.stream().map(Class::getSimpleName).toList();
  }

  /** This state as a word. */
  public long encode() {
    return encode(phase, error, sequence);
  }

  /** The word of such a state. */
  public static long encode(Phase phase, int error, long sequence) {
    return phase.code | (long) error << ERROR_AT | sequence << SEQUENCE_AT;
  }

  /** What {@code word} says. */
  public static WorkState decode(long word) {
    return new WorkState(
        Phase.values()[(int) (word & BYTE)],
        (int) (word >>> ERROR_AT & BYTE),
        word >>> SEQUENCE_AT);
  }
}
