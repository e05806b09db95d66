// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

/**
 * What carries the channels to a peer in place of the fabric that was to, as both ends have agreed.
 *
 * @param fabric the name of what does
 * @param reach why it can, as {@link Fabric#reach}
 * @param why what kept the other from opening, for people
 */
public record Instead(String fabric, String reach, String why) {}
