// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

/**
 * Where the links between a host's accelerators are known from.
 *
 * @param kind what their vendor calls them: NVLink, XGMI, Xe Link
 * @param from who told: {@code kfd}, {@code nvidia-smi topo -m}, {@code known board}; empty where
 *     nobody did
 * @param fix who would tell; empty where somebody did
 */
public record LinkSource(String kind, String from, String fix) {
  /** Whether somebody told. */
  public boolean isKnown() {
    return !from.isEmpty();
  }
}
