package io.tombolo.bench;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.PinnedStage;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * One rank's part of the benchmark: times calls, then checks one more call on fresh data. Not
 * thread-safe.
 *
 * <p>All ranks make the same calls in the same order. Times are wall time from the call to the
 * completed work, so they hold the wait for whoever comes last.
 */
final class RankRun implements AutoCloseable {
  private static final long CHUNK_BYTES = 1 << 20;
  private static final int DIGITS = 3;

  private final Communicator communicator;
  private final Settings settings;
  private final Duration timeout;
  private final Injection injection;
  private final Stream stream;
  private final DeviceMemory send;
  private final DeviceMemory receive;
  private final PinnedStage stage;
  private final DeviceVector vectors;
  private final byte[] input;
  private final byte[] expected;

  /** What one rank found out about one size: its times, and its number of wrong elements. */
  record Result(Histogram times, long wrong) {}

  /** Takes the memory for the largest size; {@code injection} damages this rank's results. */
  RankRun(Communicator communicator, Settings settings, Injection injection, Duration timeout) {
    this.communicator = communicator;
    this.settings = settings;
    this.timeout = timeout;
    this.injection = injection;
    int elementBytes = settings.type().sizeBytes();
    int periods = (int) Math.max(1, CHUNK_BYTES / Pattern.PERIOD / elementBytes);
    Pattern pattern = new Pattern(settings.type(), settings.op(), communicator.size());
    this.input = pattern.inputBlock(communicator.rank(), periods);
    this.expected = pattern.expectedBlock(periods);
    long largestBytes = Math.max(elementBytes, settings.maxBytes());
    this.stream = communicator.device().newStream();
    this.send = communicator.device().allocate(largestBytes);
    this.receive = communicator.device().allocate(largestBytes);
    this.stage = new PinnedStage(communicator.device(), stream, input.length, timeout);
    this.vectors = new DeviceVector(stage, elementBytes);
  }

  /** Measures and checks vectors of {@code count} elements, from one buffer to another. */
  Result outOfPlace(long count) {
    long sizeBytes = count * settings.type().sizeBytes();
    vectors.fill(send.address(), sizeBytes, input);
    Histogram times = times(send, receive, count);
    vectors.poison(receive.address(), sizeBytes, expected);
    run(send, receive, count);
    long changedInputs = vectors.countWrong(send.address(), sizeBytes, input);
    return new Result(times, changedInputs + wrongResults(sizeBytes));
  }

  /** Measures and checks vectors of {@code count} elements, within one buffer. */
  Result inPlace(long count) {
    long sizeBytes = count * settings.type().sizeBytes();
    vectors.fill(receive.address(), sizeBytes, input);
    Histogram times = times(receive, receive, count);
    vectors.fill(receive.address(), sizeBytes, input);
    run(receive, receive, count);
    return new Result(times, wrongResults(sizeBytes));
  }

  private Histogram times(DeviceMemory from, DeviceMemory to, long count) {
    for (int i = 0; i < settings.warmup(); i++) {
      run(from, to, count);
    }
    Histogram times = new Histogram(DIGITS);
    for (int i = 0; i < settings.iterations(); i++) {
      long startNs = System.nanoTime();
      run(from, to, count);
      times.recordValue(System.nanoTime() - startNs);
    }
    return times;
  }

  private void run(DeviceMemory from, DeviceMemory to, long count) {
    communicator
        .allReduce(from.address(), to.address(), count, settings.type(), settings.op(), stream)
        .await(timeout);
  }

  private long wrongResults(long sizeBytes) {
    vectors.damage(receive.address(), sizeBytes, expected.length, injection);
    return vectors.countWrong(receive.address(), sizeBytes, expected);
  }

  @Override
  public void close() {
    stage.close();
    receive.close();
    send.close();
    stream.close();
  }
}
