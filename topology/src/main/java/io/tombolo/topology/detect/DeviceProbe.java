// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.ImmutableList;

/** Asks device runtimes what they know; found by {@link java.util.ServiceLoader}. */
public interface DeviceProbe {

  /**
   * What the runtimes that load here say of their devices, without opening one; emulated ones only
   * if asked for. A runtime that fails is left out, and logged.
   */
  ImmutableList<ProbedDevice> devices(boolean withEmulated);
}
