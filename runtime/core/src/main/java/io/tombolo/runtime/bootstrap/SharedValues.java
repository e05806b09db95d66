// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import io.tombolo.base.Capabilities;
import io.tombolo.topology.machine.CpuSet;
import java.util.Map;

/**
 * Makes descriptors share the values that they have in common: thousands of ranks differ in little.
 * Not thread-safe.
 */
final class SharedValues {
  private final Interner<String> texts = Interners.newStrongInterner();
  private final Interner<CpuSet> processors = Interners.newStrongInterner();
  private final Interner<Capabilities> capabilities = Interners.newStrongInterner();
  private final Interner<ImmutableSortedMap<String, String>> settings =
      Interners.newStrongInterner();

  /** An equal descriptor. */
  RankDescriptor of(RankDescriptor rank) {
    return new RankDescriptor(
        rank.protocolMin(),
        rank.protocolMax(),
        texts.intern(rank.build()),
        rank.rank(),
        texts.intern(rank.vendor()),
        texts.intern(rank.device()),
        texts.intern(rank.architecture()),
        texts.intern(rank.hostId()),
        rank.pid(),
        processors.intern(rank.processors()),
        capabilities.intern(rank.capabilities()),
        rank.fabricAddresses().entrySet().stream()
            .collect(
                ImmutableMap.toImmutableMap(
                    entry -> texts.intern(entry.getKey()), Map.Entry::getValue)),
        rank.uplinks(),
        settings.intern(rank.settings()));
  }
}
