// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import io.tombolo.topology.machine.Machine;

/**
 * A host of a job.
 *
 * @param id a name that no other host has, and that all processes on it compute alike
 * @param name what people call it
 * @param machine what is in it; hosts that are built alike share one
 */
public record Host(String id, String name, Machine machine) {}
