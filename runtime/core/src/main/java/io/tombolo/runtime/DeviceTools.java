// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.exec.memory.SlotSettling;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all groups of this process use on its device.
 *
 * @param streams our own streams
 * @param windowCopies what copies device memory for channels
 * @param slotSettling what every call goes through before it holds a stream
 * @param doorbells those of the device
 */
record DeviceTools(
    OwnStreams streams, WindowCopies windowCopies, SlotSettling slotSettling, Doorbells doorbells) {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceTools.class);

  private static final String HOLD = "hold";

  /**
   * Opens them on {@code stack}, for the device of {@code equipment} and calls in {@code groups}.
   */
  static DeviceTools open(
      JobEnvironment environment, Equipment equipment, OpenGroups groups, CloseStack stack) {
    OwnStreams streams =
        stack.opened(
            new OwnStreams(
                equipment.device(), equipment.reductions().device(), holdsAnyway(environment)));
    warnOfFewQueues(equipment, streams);
    WindowCopies windowCopies =
        stack.opened(new WindowCopies(equipment.device(), streams.windows()));
    SlotSettling slotSettling = new SlotSettling(equipment.slotPins(), groups::areBusy);
    if (!equipment.direct().isNone()) {
      windowCopies.prepare();
    }
    return new DeviceTools(streams, windowCopies, slotSettling, new Doorbells(equipment.device()));
  }

  /** The setting {@code hold}: callers' streams are held even where frees lock others out. */
  private static boolean holdsAnyway(JobEnvironment environment) {
    String hold = environment.settings().getOrDefault(HOLD, "auto");
    return switch (hold) {
      case "always" -> true;
      case "auto" -> false;
      default ->
          throw new UsageException(
              JobEnvironment.variableOf(HOLD)
                  + " is '"
                  + hold
                  + "'; it must be 'auto' or 'always'");
    };
  }

  /** Where no stream is held, none that waits for a call is in anybody's way. */
  private static void warnOfFewQueues(Equipment equipment, OwnStreams streams) {
    equipment
        .missedQueues()
        .filter(missed -> streams.hostOrder().isEmpty())
        .flatMap(missed -> missed.warning(equipment.device()))
        .ifPresent(LOG::warn);
  }
}
