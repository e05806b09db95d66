// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.PinnedStage;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.Work;
import io.tombolo.runtime.work.WorkSpan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  private final Operation operation;
  private final Settings settings;
  private final WarmUpCalls warmUp;
  private final Duration timeout;
  private final Injection injection;
  private final Stream stream;
  private final DeviceMemory sendMemory;
  private final DeviceMemory receiveMemory;
  private final DeviceBuffer send;
  private final DeviceBuffer receive;
  private final PinnedStage stage;
  private final CheckedVector vectors;
  private final Chunks chunks;
  private final List<CallTrace> traces = new ArrayList<>();

  /**
   * What one rank found out about one size: the times of its first calls and of those after the
   * warm-up, what the latter took of the processors, all threads of the process and all calls
   * together, wrong elements, the longest round of its agent since it joined, bytes that processors
   * copied between messages and slots for all the timed calls, and times by stage.
   */
  record Result(
      Histogram cold,
      Histogram times,
      long processorNs,
      long wrong,
      long longestCycleNs,
      long copiedBytes,
      Breakdown breakdown) {
    /** Processor time of a call, on average. */
    double processorNsPerCall() {
      return (double) processorNs / Math.max(1, times.getTotalCount());
    }

    /** Bytes that processors copied for a call, on average. */
    double copiedBytesPerCall() {
      return (double) copiedBytes / Math.max(1, times.getTotalCount());
    }
  }

  /** Takes the memory for the largest size; {@code injection} damages this rank's results. */
  RankRun(
      Communicator communicator,
      Operation operation,
      Settings settings,
      WarmUpCalls warmUp,
      Injection injection,
      Duration timeout) {
    this.communicator = communicator;
    this.operation = operation;
    this.settings = settings;
    this.warmUp = warmUp;
    this.timeout = timeout;
    this.injection = injection;
    int elementBytes = settings.type().sizeBytes();
    int periods = (int) Math.max(1, CHUNK_BYTES / Pattern.PERIOD / elementBytes);
    Pattern pattern = new Pattern(settings.type(), settings.opOf(operation), communicator.size());
    this.chunks = new Chunks(pattern, periods, elementBytes);
    long largestBytes = Math.max(elementBytes, settings.maxBytes());
    this.stream = communicator.device().newStream();
    this.sendMemory = communicator.device().allocate(largestBytes);
    this.receiveMemory = communicator.device().allocate(largestBytes);
    this.send = DeviceBuffer.of(communicator.device(), sendMemory, settings.type());
    this.receive = DeviceBuffer.of(communicator.device(), receiveMemory, settings.type());
    this.stage = new PinnedStage(communicator.device(), stream, chunks.input(0).length, timeout);
    this.vectors = new CheckedVector(stage, elementBytes);
  }

  /** What is measured, as this rank sees it. */
  Operation operation() {
    return operation;
  }

  /** Measures and checks blocks of {@code block} elements, from one buffer to another. */
  Result outOfPlace(long block) {
    fillInput(send, block);
    Breakdown breakdown = new Breakdown();
    Histogram cold = warmUp.run(() -> run(send, receive, block));
    ProcessorTime processorTime = ProcessorTime.start();
    long copiedBefore = communicator.traffic().copiedBytes();
    Histogram times = times(send, receive, block, "out of place", breakdown);
    long processorNs = processorTime.passedNs();
    long copied = communicator.traffic().copiedBytes() - copiedBefore;
    poison(receive, block);
    run(send, receive, block);
    long changedInputs =
        vectors.countWrong(send.address(), bytes(operation.sendCount(block)), ownInput());
    long wrong = changedInputs + wrongResults(receive, block);
    return new Result(cold, times, processorNs, wrong, longestCycleNs(), copied, breakdown);
  }

  /** Measures and checks blocks of {@code block} elements, within one buffer, where that can be. */
  Optional<Result> inPlace(long block) {
    if (!operation.canBeInPlace()) {
      return Optional.empty();
    }
    DeviceBuffer from = behind(receive, operation.sendOffset(block));
    DeviceBuffer to = behind(receive, operation.receiveOffset(block));
    fillInput(from, block);
    Breakdown breakdown = new Breakdown();
    Histogram cold = warmUp.run(() -> run(from, to, block));
    ProcessorTime processorTime = ProcessorTime.start();
    long copiedBefore = communicator.traffic().copiedBytes();
    Histogram times = times(from, to, block, "in place", breakdown);
    long processorNs = processorTime.passedNs();
    long copied = communicator.traffic().copiedBytes() - copiedBefore;
    poison(to, block);
    fillInput(from, block);
    run(from, to, block);
    return Optional.of(
        new Result(
            cold,
            times,
            processorNs,
            wrongResults(to, block),
            longestCycleNs(),
            copied,
            breakdown));
  }

  /** The last timed call of each size and placement so far, if there is to be a timeline. */
  List<CallTrace> traces() {
    return traces;
  }

  private long longestCycleNs() {
    return communicator.activity().longestCycleNs();
  }

  /** What comes from element {@code first} of {@code buffer} on. */
  private static DeviceBuffer behind(DeviceBuffer buffer, long first) {
    return buffer.slice(first, buffer.count() - first);
  }

  private Histogram times(
      DeviceBuffer from, DeviceBuffer to, long block, String placement, Breakdown breakdown) {
    Histogram times = new Histogram(DIGITS);
    ImmutableList<WorkSpan> spans = ImmutableList.of();
    for (int i = 0; i < settings.iterations(); i++) {
      long startNs = System.nanoTime();
      Work done = run(from, to, block);
      times.recordValue(System.nanoTime() - startNs);
      if (settings.breakdown()) {
        breakdown.add(done.times());
      }
      spans = done.spans();
    }
    if (settings.timeline() != null) {
      String call = bytes(operation.total(block)) + " B " + placement;
      traces.add(new CallTrace(communicator.rank(), call, spans));
    }
    return times;
  }

  private Work run(DeviceBuffer from, DeviceBuffer to, long block) {
    Work work = start(from, to, block);
    work.await(timeout);
    return work;
  }

  private Work start(DeviceBuffer from, DeviceBuffer to, long block) {
    CollectiveCall call = operation.call(block, settings.type(), settings.opOf(operation), false);
    return operation.start(communicator, call, from, to, settings.options(), stream);
  }

  private void fillInput(DeviceBuffer from, long block) {
    vectors.fill(from.address(), bytes(operation.sendCount(block)), ownInput());
  }

  private byte[] ownInput() {
    return chunks.input(operation.rank());
  }

  private void poison(DeviceBuffer to, long block) {
    for (Operation.Part part : operation.expected(block)) {
      long at = to.address() + bytes(part.offset());
      vectors.poison(at, bytes(part.count()), chunks.expected(part));
    }
  }

  private long wrongResults(DeviceBuffer to, long block) {
    long wrong = 0;
    for (Operation.Part part : operation.expected(block)) {
      byte[] expected = chunks.expected(part);
      long at = to.address() + bytes(part.offset());
      vectors.damage(at, bytes(part.count()), expected.length, injection);
      wrong += vectors.countWrong(at, bytes(part.count()), expected);
    }
    return wrong;
  }

  private long bytes(long elements) {
    return elements * settings.type().sizeBytes();
  }

  @Override
  public void close() {
    stage.close();
    receiveMemory.close();
    sendMemory.close();
    stream.close();
  }
}
