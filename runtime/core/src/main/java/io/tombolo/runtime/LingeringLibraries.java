// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Closes groups, whose libraries may wait for ranks that have not left yet. Those that have not
 * ended after a while linger: they are waited for once more when all groups close, and then left
 * behind. Thread-safe.
 */
final class LingeringLibraries {
  /** How long who leaves waits for libraries that wait for other ranks even so. */
  private static final Duration LIBRARIES = Duration.ofSeconds(2);

  /** Those that are closed, but for a library that waited for other ranks for too long. */
  private final Set<RankGroup> lingering = ConcurrentHashMap.newKeySet();

  /** Frees what {@code group} held, once it has stopped; its libraries may linger. */
  void closeDown(RankGroup group) {
    try {
      DoAll.of(group::close, () -> group.awaitLibraries(Deadline.after(LIBRARIES)));
    } finally {
      lingering.add(group);
      lingering.removeIf(RankGroup::haveLibrariesEnded); // of this one, or an earlier one by now
    }
  }

  /** A library that waits for others to leave does so on a device that stays open. */
  void closeAll(List<RankGroup> groups, DeviceAdaptor device) {
    boolean haveEnded = false;
    try {
      DoAll.of(() -> DoAll.each(groups, RankGroup::close), () -> awaitAll(groups));
      haveEnded = lingering.stream().allMatch(RankGroup::haveLibrariesEnded);
    } finally {
      if (!haveEnded) {
        device.taint();
      }
    }
  }

  private void awaitAll(List<RankGroup> groups) {
    Deadline patience = Deadline.after(LIBRARIES);
    lingering.addAll(groups);
    DoAll.each(lingering, group -> group.awaitLibraries(patience));
  }
}
