// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.runtime.exec.stream.StreamProbe.Answer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our own streams on a device, one set for all communicators of a session: of the greatest
 * priority, so that where priorities have hardware queues of their own no caller's stream is in
 * ours, and few, so that they do not use those queues up.
 *
 * <p>Nothing on the three that are shared waits for anybody. The kernels of a collective library
 * wait for other ranks, and two communicators may come to theirs in different orders: so each
 * borrows a stream for its calls. Thread-safe. The agent queues on them, and so does {@link
 * StreamProbe}, for callers.
 */
public final class OwnStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnStreams.class);

  /**
   * So many streams are in every queue that callers' can be in, if they are given out in turn; at
   * random to 32, they miss one in seven, hence another sample.
   */
  private static final int SAMPLE = 64;

  private static final int SAMPLES = 2;

  private static final String BUSY =
      "our streams have been too busy to tell whether a caller's may be held";

  private final DeviceAdaptor device;
  private final CloseStack stack = new CloseStack();
  private final ImmutableList<Stream> shared;
  private final Deque<Stream> idle = new ArrayDeque<>();
  private final Optional<StreamProbe> probe;
  private final boolean canQueueBesideFrees;
  private final Asked apart = new Asked(Ticker.systemTicker());
  private final AtomicReference<String> hostOrder = new AtomicReference<>("");

  /**
   * Makes the shared ones, which may wait for work of {@code device}. Callers' streams may be held
   * where that cannot hang; with {@code holdsAnyway} also where it does if a thread frees memory.
   * What this asks of the device, it asks now, while nothing of ours is under way.
   *
   * @param kernels those that run on these streams, if any do
   */
  public OwnStreams(DeviceAdaptor device, Optional<DeviceReducer> kernels, boolean holdsAnyway) {
    this.device = device;
    try {
      shared = ImmutableList.of(open(), open(), open());
      probe =
          hasQueues() && !device.isHostOrdered()
              ? Optional.of(
                  stack.opened(new StreamProbe(device, kernels, shared.size() + 1, arithmetic())))
              : Optional.empty();
      canQueueBesideFrees =
          holdsAnyway || probe.isEmpty() || FreeProbe.letsOthersQueue(device, stack);
      if (!canQueueBesideFrees) {
        hostOrder.set("while a thread frees memory, this driver lets no other one queue work");
        LOG.info(
            "while a thread frees memory or loads code, this driver lets no other one queue work,"
                + " so no stream is held: calls return when they have ended; if no thread of this"
                + " process does so while calls are under way, TOMBOLO_HOLD=always makes them"
                + " return at once");
      }
    } catch (RuntimeException | Error e) {
      stack.close();
      throw e;
    }
  }

  /**
   * Why the host keeps the order of calls, so that they return when they have ended: on all of the
   * callers' streams or on some, as far as has been seen. Empty if on none.
   */
  public Optional<String> hostOrder() {
    return device.isHostOrdered()
        ? Optional.of("streams of this device cannot wait for it")
        : Optional.of(hostOrder.get()).filter(why -> !why.isEmpty());
  }

  /** The host's streams are threads. */
  private boolean hasQueues() {
    return !device.isHost();
  }

  private Stream open() {
    return stack.opened(device.newUrgentStream());
  }

  /** For copies between device and stage. */
  public Stream copies() {
    return shared.get(0);
  }

  /** For kernels that combine elements. */
  public Stream arithmetic() {
    return shared.get(1);
  }

  /** For copies between device memory and slots of fabrics. */
  public Stream windows() {
    return shared.get(2);
  }

  /** One for the calls of one communicator's library; new only if none is idle. */
  public synchronized Stream lend() {
    return idle.isEmpty() ? open() : idle.pop();
  }

  /** A communicator needs {@code lent} no longer. */
  public synchronized void giveBack(Stream lent) {
    idle.push(lent);
  }

  /** Which streams may be held while the shared ones and {@code lent} are to go on. */
  public HoldableStreams beside(Optional<Stream> lent) {
    ImmutableList.Builder<Stream> ours = ImmutableList.builder();
    ours.addAll(shared);
    lent.ifPresent(ours::add);
    return new HoldableStreams(
        probe, this::mayHold, ours.build(), this::tell, Ticker.systemTicker());
  }

  /** A caller's stream is not held, or not yet. What is known of all streams says more. */
  private void tell(Answer refusal) {
    hostOrder.compareAndSet("", BUSY);
    if (refusal == Answer.NO) {
      hostOrder.compareAndSet(BUSY, "a caller's stream is in a hardware queue with one of ours");
    }
  }

  /** Whether the agent goes on beside a held stream, whatever other threads do. */
  private Answer mayHold() {
    return canQueueBesideFrees ? apart.ask(this::areApart) : Answer.NO;
  }

  /**
   * Whether callers' streams have other hardware queues than ours. If not, none at all is to be
   * held: one that was never seen here may wait for it, in one of our queues. Callers' kernels that
   * fill the device may keep ours from going on, too, and then nobody can tell.
   */
  private Answer areApart() {
    for (int i = 0; i < SAMPLES; i++) {
      Answer answer = goOnBesideSample();
      if (answer == Answer.UNDECIDED) {
        LOG.debug("the device is too busy to tell whether callers' streams may be held");
        return answer;
      }
      if (answer == Answer.NO) {
        hostOrder.set("callers' streams share hardware queues with ours");
        LOG.warn(
            "callers' streams share hardware queues with ours, so none is held: calls on them"
                + " return when they have ended, unless they go straight onto the stream");
        return answer;
      }
    }
    return Answer.YES;
  }

  private Answer goOnBesideSample() {
    try (CloseStack sample = new CloseStack()) {
      Stream held = sample.opened(device.newStream());
      ImmutableList.Builder<Stream> followers = ImmutableList.builder();
      for (int i = 1; i < SAMPLE; i++) {
        followers.add(sample.opened(device.newStream()));
      }
      return probe.orElseThrow().passes(held, followers.build(), shared);
    }
  }

  /**
   * After a failure the device may be stuck: then they are left behind, unless it gives streams
   * back even then.
   */
  @Override
  public void close() {
    if (!device.isTainted() || device.freesAfterFailures()) {
      stack.close();
    }
  }
}
