// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.MapMaker;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.stream.StreamProbe.Answer;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers' streams that a communicator has met, and whether it may hold them: each is probed at
 * its first use. A stream that is destroyed must not be replaced by another one behind the same
 * object, which nobody would probe. Thread-safe.
 */
public final class HoldableStreams {
  private static final Logger LOG = LoggerFactory.getLogger(HoldableStreams.class);

  private final Optional<StreamProbe> probe;
  private final Supplier<Answer> mayHold;
  private final ImmutableList<Stream> ours;
  private final Consumer<Answer> onRefusal;
  private final Ticker ticker;
  private final ConcurrentMap<Stream, Asked> known = new MapMaker().weakKeys().makeMap();
  private final AtomicInteger refused = new AtomicInteger();

  /**
   * Those that {@code probe}, if there is one, lets pass beside {@code ours}; none unless {@code
   * mayHold} says yes, which is asked when the first is to be held. Each answer but yes is told to
   * {@code onRefusal}.
   */
  HoldableStreams(
      Optional<StreamProbe> probe,
      Supplier<Answer> mayHold,
      ImmutableList<Stream> ours,
      Consumer<Answer> onRefusal,
      Ticker ticker) {
    this.probe = probe;
    this.mayHold = mayHold;
    this.ours = ours;
    this.onRefusal = onRefusal;
    this.ticker = ticker;
  }

  /** All there are: streams wait by themselves, each in a queue of its own. */
  public static HoldableStreams all() {
    return new HoldableStreams(
        Optional.empty(),
        () -> Answer.YES,
        ImmutableList.of(),
        answer -> {},
        Ticker.systemTicker());
  }

  /**
   * Whether our streams go on while {@code stream} is held. The first time, this holds it for a
   * moment; what it throws is what {@code stream} refuses. While ours are too busy to tell, the
   * answer is no, and {@linkplain Asked later} it may be another: who acts on it twice asks once.
   */
  public boolean has(Stream stream) {
    if (probe.isEmpty()) {
      return true;
    }
    Asked asked = known.get(stream);
    if (asked == null) {
      asked = known.computeIfAbsent(stream, met -> new Asked(ticker));
    }
    if (asked.answer() != Answer.UNDECIDED) { // as a rule
      return asked.answer() == Answer.YES;
    }
    Answer may = mayHold.get();
    if (may == Answer.UNDECIDED) { // nothing is asked of the stream
      onRefusal.accept(may);
      return false;
    }
    return asked.ask(() -> meet(probe.get(), stream, may)) == Answer.YES;
  }

  /**
   * Whether {@code stream} has nothing pending, and {@link #has} has seen or will see whether it is
   * a stream of the device at all.
   */
  public boolean isIdle(Stream stream) {
    return probe.isPresent() && mayHold.get() == Answer.YES && stream.isIdle();
  }

  private Answer meet(StreamProbe by, Stream stream, Answer may) {
    Answer answer = may == Answer.YES ? by.passes(stream, ours) : may;
    if (answer != Answer.YES) {
      onRefusal.accept(answer);
    }
    if (answer == Answer.UNDECIDED) {
      LOG.debug("our streams are too busy to tell whether a caller's may be held");
    } else if (answer == Answer.NO) {
      refused.incrementAndGet();
      if (may == Answer.YES) {
        LOG.warn(
            "a caller's stream is in a hardware queue with one of ours, so it is not held: calls on"
                + " it return when they have ended, unless they go straight onto it; use a stream of less priority, or have more"
                + " queues: CUDA_DEVICE_MAX_CONNECTIONS=32, GPU_MAX_HW_QUEUES=8, set before the"
                + " program starts");
      }
    }
    return answer;
  }

  /** How many streams so far may not be held. */
  public int refused() {
    return refused.get();
  }
}
