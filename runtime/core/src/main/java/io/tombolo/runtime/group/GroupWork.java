// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.group;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A call on a {@link ProcessGroup}, on its way. Thread-safe.
 *
 * <p>Calls between {@link ProcessGroup#startCoalescing} and {@link ProcessGroup#endCoalescing} are
 * made at the end only, as one operation: until then nothing but {@link #isCompleted} can be asked,
 * and afterwards all of them tell the same.
 */
public final class GroupWork {
  private final Stream stream;
  private volatile Work work;

  /** A call yet to be made. */
  GroupWork(Stream stream) {
    this.stream = stream;
  }

  GroupWork(Stream stream, Work work) {
    this.stream = stream;
    this.work = work;
  }

  void isMadeAs(Work made) {
    work = made;
  }

  private Work work() {
    Work made = work;
    if (made == null) {
      throw new UsageException(
          "this call is part of a coalesced group that has not been made; call endCoalescing"
              + " first");
    }
    return made;
  }

  /** Whether it has ended, well or not. Does not block. */
  public boolean isCompleted() {
    Work made = work;
    return made != null && made.isDone();
  }

  /** Whether it has ended well. Does not block. */
  public boolean isSuccess() {
    return isCompleted() && work().error().isEmpty();
  }

  /** Its error, if it ended with one. Does not block. */
  public Optional<TomboloException> exception() {
    return work().error();
  }

  /**
   * Blocks the calling thread until it has ended.
   *
   * @throws TomboloException its error, or {@link io.tombolo.base.errors.DeadlineExceededException}
   *     if it takes longer than {@code timeout}; it then goes on
   */
  public void await(Duration timeout) {
    work().await(timeout);
  }

  /**
   * Has the stream of the call's tensors wait for the end, where the call was an {@linkplain
   * OpOptions#asyncOp asyncOp}. Does not block.
   */
  public void synchronize() {
    work().makeWait(stream);
  }

  /** Gives it up, and with it the group, on all ranks: there is no taking back of one call. */
  public void abort() {
    work().abort();
  }

  /** Nanoseconds from the moment the stream reached it to its end; 0 before the end. */
  public long durationNs() {
    return work().durationNs();
  }

  /** The rank that a receive from any source has received from, see {@link Work#source}. */
  public OptionalInt sourceRank() {
    return work().source();
  }

  /** Whether the tensors' memory is the caller's again, see {@link Work#buffersReleased}. */
  public boolean buffersReleased() {
    return work().buffersReleased();
  }

  /** Where native code reads its state, see {@link Work#stateAddress}. */
  public long stateAddress() {
    return work().stateAddress();
  }
}
