// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.exec.agent.Duty;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Channels between the two ranks of a {@link PrivateJob}, through shared memory as between two of a
 * host. For one thread at a time.
 */
final class PrivateLinks implements Duty, AutoCloseable {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static final long PAUSE_NS = 20_000;

  private final CloseStack stack = new CloseStack();

  /** That of each rank. */
  private final ImmutableList<Fabric> fabrics;

  private long links;

  /**
   * A channel.
   *
   * @param first the end of rank 0
   * @param second the end of rank 1
   */
  record Link(Channel first, Channel second) {
    private boolean isOpen() {
      return first.isOpen() && second.isOpen();
    }
  }

  /** None yet. */
  PrivateLinks() {
    FabricProvider shared =
        Fabrics.all().stream()
            .filter(FabricProvider::sharesMemory)
            .findFirst()
            .orElseThrow(() -> new UnavailableException("no fabric shares memory here"));
    JobToken token = JobToken.random();
    try {
      fabrics = ImmutableList.of(open(shared, 0, token), open(shared, 1, token));
    } catch (RuntimeException | Error e) {
      stack.close();
      throw e;
    }
  }

  private Fabric open(FabricProvider shared, int rank, JobToken token) {
    return stack.opened(
        shared.open(FabricSettings.of(rank, token, HostPinner.none()), ANY_PORT, Map.of()));
  }

  /**
   * Opens another channel; blocks until it is open. Before any thread drives this duty.
   *
   * @throws DeadlineExceededException if that takes too long
   */
  Link link(Deadline deadline) {
    long id = links++;
    Link link = new Link(connect(0, 1, id, deadline), connect(1, 0, id, deadline));
    while (!link.isOpen()) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "a channel within this process did not open within "
                + deadline.budgetNs() / 1_000_000
                + " ms");
      }
      if (work() == 0) {
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
    return link;
  }

  private Channel connect(int rank, int peer, long id, Deadline deadline) {
    return fabrics.get(rank).connect(peer, fabrics.get(peer).address(), id, deadline);
  }

  @Override
  public int work() {
    return fabrics.get(0).progress() + fabrics.get(1).progress();
  }

  @Override
  public boolean isPrompt() {
    return true;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    fabrics.get(0).awaits(wakeUps);
    fabrics.get(1).awaits(wakeUps);
  }

  /** Messages only matter while an operation is under way, and the executors know that. */
  @Override
  public boolean isBusy() {
    return false;
  }

  /** The calls that need them find that they do not go on. */
  @Override
  public void fail(Throwable cause) {}

  @Override
  public void close() {
    stack.close();
  }
}
