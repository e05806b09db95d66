// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.agent.LeavableCall;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers memory with the vendor's library, which waits for all members: one thread at a time,
 * between the calls. Whatever ends the communicator ends the wait, where the library can abort.
 */
public final class VendorRegistration {
  private static final Logger LOG = LoggerFactory.getLogger(VendorRegistration.class);

  private final int rank;
  private final CclCommunicator vendor;
  private final FailureState failureState;
  private volatile boolean underWay;

  /** With the communicator {@code vendor} of {@code rank}, which ends by {@code failureState}. */
  public VendorRegistration(int rank, CclCommunicator vendor, FailureState failureState) {
    this.rank = rank;
    this.vendor = vendor;
    this.failureState = failureState;
  }

  /** Whether a caller is in it. Thread-safe. */
  public boolean isUnderWay() {
    return underWay;
  }

  /**
   * Registers {@code memory}; false if the library has refused it at all members, which changes
   * nothing.
   *
   * @throws TomboloException what ended the communicator
   */
  public boolean register(DeviceMemory memory, Deadline deadline) {
    underWay = true;
    try {
      return LeavableCall.make("tombolo-vendor-register", () -> registered(memory), deadline);
    } catch (TimeoutException e) {
      throw failed(
          memory,
          new DeadlineExceededException(
              "the library did not do so with all members within %s ms; look at the others' output"
                  .formatted(deadline.budgetNs() / 1_000_000),
              e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(memory, new AbortedException("the waiting thread was interrupted", e));
    } catch (TomboloException e) {
      throw failed(memory, e);
    } catch (RuntimeException e) {
      throw failed(memory, new AbortedException("the call failed: " + e, e));
    } finally {
      underWay = false;
    }
  }

  private boolean registered(DeviceMemory memory) {
    try {
      vendor.register(memory);
      return true;
    } catch (VendorException e) {
      if (failureState.hasFailed() || vendor.asyncError().isPresent()) {
        throw e;
      }
      LOG.info("rank {}: calls copy what is in this memory, as in any: {}", rank, e.getMessage());
      return false;
    }
  }

  /** Ends the communicator by {@code cause}, unless what has ended it before is behind that too. */
  private TomboloException failed(DeviceMemory memory, TomboloException cause) {
    String call = "rank %s: registering %s bytes".formatted(rank, memory.sizeBytes());
    TomboloException own = cause.during(call);
    TomboloException first = failureState.awaitOutcome(own);
    return first == own ? own : first.metBy(call);
  }
}
