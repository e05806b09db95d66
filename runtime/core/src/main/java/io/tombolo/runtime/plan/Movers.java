// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.base.DataType;
import java.util.Optional;

/**
 * Who carries out a rank's steps, where no NIC reaches its memory: messages go by slots, which a
 * device's engine reaches where a plan has them in the device's memory.
 *
 * @param onHost whether the rank's memory is the host's: then its processor does it all
 * @param kernelsFromBytes from how many bytes on the device combines; {@link Reach#NEVER}
 * @param inPlace what peers read in the rank's memory
 */
public record Movers(boolean onHost, long kernelsFromBytes, InPlace inPlace) {

  /** Who does {@code action} on elements of {@code type}; nobody where it moves nothing. */
  public Optional<Mover> of(DataType type, Action action) {
    if (action instanceof Action.Flush) {
      return Optional.empty();
    }
    if (action instanceof Action.Exchange || isForVendor(action)) {
      return Optional.of(Mover.LIBRARY);
    }
    if (action instanceof Action.Combine combine && isForKernel(type, combine)) {
      return Optional.of(Mover.KERNEL);
    }
    if (isMessage(action) && inPlace.sent(action, bytes(type, action)) > 0) {
      return Optional.of(Mover.RECEIVER);
    }
    return Optional.of(copier(action));
  }

  private static boolean isForVendor(Action action) {
    return action instanceof Action.IntraCall call && call.members() == Action.Members.CLUSTER;
  }

  private boolean isForKernel(DataType type, Action.Combine combine) {
    return !onHost
        && combine.reduction().kind() != Reduction.Kind.USER_DEFINED
        && combine.into().length() * type.sizeBytes() >= kernelsFromBytes;
  }

  private static boolean isForEngine(Action action) {
    return action instanceof Action.Copy || (isMessage(action) && !isOnStage(action));
  }

  /**
   * Bytes of messages that {@code mover} copies between their memory and slots, or from the
   * sender's memory.
   */
  public long slotBytes(Plan plan, Mover mover) {
    DataType type = plan.call().type();
    return plan.steps().stream()
        .map(Step::action)
        .filter(Movers::isMessage)
        .mapToLong(action -> slotBytes(type, action, mover))
        .sum();
  }

  private long slotBytes(DataType type, Action action, Mover mover) {
    long all = bytes(type, action);
    long read = inPlace.sent(action, all);
    if (mover == Mover.RECEIVER) {
      return read;
    }
    return mover == copier(action) ? all - read : 0;
  }

  /** Who copies where nobody else does. */
  private Mover copier(Action action) {
    return !onHost && isForEngine(action) ? Mover.ENGINE : Mover.PROCESSOR;
  }

  /** Bytes copied between this rank's memory and the stage of messages. */
  public long stagedBytes(Plan plan) {
    return plan.steps().stream()
        .map(Step::action)
        .filter(action -> action instanceof Action.Copy && isOnStage(action))
        .mapToLong(action -> bytes(plan.call().type(), action))
        .sum();
  }

  private static boolean isMessage(Action action) {
    return action instanceof Action.Send || action instanceof Action.Receive;
  }

  private static boolean isOnStage(Action action) {
    return lies(action.reads()) || lies(action.writes());
  }

  private static boolean lies(Iterable<Range> ranges) {
    for (Range range : ranges) {
      if (range.space() == Space.STAGE) {
        return true;
      }
    }
    return false;
  }

  private static long bytes(DataType type, Action action) {
    return (action.reads().isEmpty() ? action.writes() : action.reads()).get(0).length()
        * type.sizeBytes();
  }
}
