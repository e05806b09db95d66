// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.NoQuorumException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import java.util.List;

/**
 * The failure of a job as one process tells the others, who fail with an error of the same type.
 *
 * <p>In the store it is text: the type's name, the raw code, and {@code seen} if it is not
 * first-hand, in one line, and the message in the rest.
 *
 * @param type simple name of the error's class
 * @param rawCode the vendor's or transport's number, 0 where there is none
 * @param isFirstHand whether who tells it knows why; else it is what somebody saw of another
 *     process, whose own word counts for more
 * @param text who failed, and why
 */
public record JobFailure(String type, long rawCode, boolean isFirstHand, String text) {
  private static final String SEEN = " seen";
  private static final String PEER_FAILED = PeerFailedException.class.getSimpleName();

  /** A process that has failed without an error of ours, for example one that was killed. */
  public static JobFailure of(String text) {
    return new JobFailure(PEER_FAILED, 0, true, text);
  }

  /** What somebody has seen of a process, as others did, perhaps, who know more of it. */
  public static JobFailure seen(String text) {
    return new JobFailure(PEER_FAILED, 0, false, text);
  }

  /** {@code cause} as {@code rank} tells it. */
  public static JobFailure of(int rank, RuntimeException cause) {
    String text = named(rank, String.valueOf(cause.getMessage()));
    String type =
        cause instanceof TomboloException ? cause.getClass().getSimpleName() : PEER_FAILED;
    long rawCode = 0;
    if (cause instanceof VendorException vendor) {
      rawCode = vendor.rawCode();
    } else if (cause instanceof FabricException fabric) {
      rawCode = fabric.rawCode();
    }
    return new JobFailure(type, rawCode, !isSecondHand(cause), text);
  }

  private static String named(int rank, String text) {
    return text.startsWith("rank ") ? text : "rank " + rank + ": " + text;
  }

  /** The same, in the name of {@code rank} unless it names one. */
  public JobFailure toldBy(int rank) {
    return new JobFailure(type, rawCode, isFirstHand, named(rank, text));
  }

  private static boolean isSecondHand(RuntimeException cause) {
    return cause instanceof TomboloException known && known.isSecondHand();
  }

  /** The same, of who does know why. */
  public JobFailure firstHand() {
    return new JobFailure(type, rawCode, true, text);
  }

  /**
   * The error of who stops because of it, {@code text} preceded by {@code context}. It has the type
   * of the first one; but as this communicator has ended, too, what would leave it usable is a
   * {@link PeerFailedException}.
   */
  public TomboloException toException(String context) {
    String message = context + text;
    return switch (type) {
      case "MismatchException" -> new MismatchException(message);
      case "DeadlineExceededException" -> new DeadlineExceededException(message);
      case "AbortedException" -> new AbortedException(message);
      case "NoQuorumException" -> new NoQuorumException(message);
      case "VendorException" -> VendorException.told(message, rawCode);
      case "FabricException" -> FabricException.told(message, rawCode);
      case "CorruptException" -> new CorruptException(message);
      default -> new PeerFailedException(message);
    };
  }

  /** Its form in a store. */
  public byte[] encode() {
    return (type + " " + rawCode + (isFirstHand ? "" : SEEN) + "\n" + text).getBytes(UTF_8);
  }

  /** What is in no such form is the message of a process that has failed. */
  public static JobFailure decode(byte[] bytes) {
    String all = new String(bytes, UTF_8);
    List<String> lines = Splitter.on('\n').limit(2).splitToList(all);
    List<String> head = Splitter.on(' ').splitToList(lines.get(0));
    Long rawCode = head.size() > 1 ? Longs.tryParse(head.get(1)) : null;
    return lines.size() < 2 || rawCode == null
        ? of(all)
        : new JobFailure(head.get(0), rawCode, !lines.get(0).endsWith(SEEN), lines.get(1));
  }
}
