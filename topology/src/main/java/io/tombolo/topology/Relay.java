// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import io.tombolo.topology.machine.LinkClass;

/**
 * A rank that speaks for its cluster through one NIC.
 *
 * @param rank the rank
 * @param nic the NIC's name; empty if the host has none that is up
 * @param rail the NIC's position among its host's rails; 0 if there is none
 * @param distance how far the NIC is from the rank's device
 * @param megabytesPerSecond what goes through, one direction: its weight among its cluster's relays
 */
public record Relay(int rank, String nic, int rail, LinkClass distance, int megabytesPerSecond) {}
