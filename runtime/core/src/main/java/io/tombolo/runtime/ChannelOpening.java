// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.util.concurrent.SettableFuture;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.Duty;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens channels on the agent's thread, while another thread waits for all of them to be up. */
final class ChannelOpening implements Duty {
  /** The agent names the peers that are missing; this is for one that does not come round. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  /** A channel has the same time, and says by itself what it sees then: this says less. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(ChannelOpening.class);

  private final Iterable<Integer> peers;
  private final IntFunction<Channel> connect;
  private final Deadline deadline;
  private final Supplier<Optional<TomboloException>> whyOver;
  private final Map<Integer, Channel> channels = new TreeMap<>();
  private final SettableFuture<Map<Integer, Channel>> opened = SettableFuture.create();

  private ChannelOpening(
      Iterable<Integer> peers,
      IntFunction<Channel> connect,
      Deadline deadline,
      Supplier<Optional<TomboloException>> whyOver) {
    this.peers = peers;
    this.connect = connect;
    this.deadline = deadline;
    this.whyOver = whyOver;
  }

  /**
   * The open channels to {@code peers}, each begun by {@code connect}; blocks.
   *
   * @param whyOver is asked in each round why nobody opens channels any more, and ends this
   * @throws DeadlineExceededException naming the peers that could not be reached in time
   */
  static Map<Integer, Channel> of(
      Agent agent,
      Iterable<Integer> peers,
      IntFunction<Channel> connect,
      Deadline deadline,
      Supplier<Optional<TomboloException>> whyOver) {
    ChannelOpening opening = new ChannelOpening(peers, connect, deadline, whyOver);
    agent.add(opening);
    return opening.await();
  }

  private Map<Integer, Channel> await() {
    try {
      return opened.get(deadline.remainingNs() + MARGIN.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new DeadlineExceededException(
          "the agent has opened no channels within "
              + deadline.budgetNs() / 1_000_000
              + " ms: it is stuck, in a call of a vendor's library for example; see jstack PID",
          e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TomboloException known
          ? known
          : new AbortedException("the agent failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while waiting for the agent", e);
    }
  }

  @Override
  public int work() {
    if (opened.isDone()) {
      return 0;
    }
    if (channels.isEmpty()) {
      peers.forEach(peer -> channels.put(peer, connect.apply(peer)));
    }
    List<Integer> missing = new ArrayList<>();
    channels.forEach(
        (peer, channel) -> {
          if (!channel.isOpen()) {
            missing.add(channel.peer());
          }
        });
    if (missing.isEmpty()) {
      opened.set(channels);
      return 0;
    }
    whyOver
        .get()
        .ifPresent(
            cause -> {
              throw cause;
            });
    if (deadline.elapsedNs() - deadline.budgetNs() > GRACE.toNanos()) {
      throw new DeadlineExceededException(
          "could not reach ranks "
              + missing
              + " within "
              + deadline.budgetNs() / 1_000_000
              + " ms; are they alive, and does a firewall stand between?");
    }
    return 0;
  }

  @Override
  public boolean isPrompt() {
    return true;
  }

  @Override
  public boolean isBusy() {
    return !opened.isDone();
  }

  @Override
  public boolean isOver() {
    return opened.isDone();
  }

  @Override
  public void fail(Throwable cause) {
    try {
      DoAll.each(channels.values(), Channel::close);
    } catch (TomboloException e) {
      LOG.debug("a channel that is given up does not end yet: {}", e.getMessage());
    }
    opened.setException(cause);
  }
}
