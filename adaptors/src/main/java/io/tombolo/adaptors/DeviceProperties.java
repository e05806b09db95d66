// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/**
 * What a runtime says of its device.
 *
 * @param name the model, in the vendor's words
 * @param pciBusId its PCI address as {@code dddd:bb:dd.f}, or empty if it has none
 * @param totalMemoryBytes its memory; 0 where the runtime does not tell
 * @param runtimeVersion the runtime's version
 */
public record DeviceProperties(
    String name, String pciBusId, long totalMemoryBytes, String runtimeVersion) {}
