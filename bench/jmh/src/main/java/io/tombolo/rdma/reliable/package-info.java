// SPDX-License-Identifier: Apache-2.0
/**
 * Times of the reliable protocol's packet codecs; start at {@code PacketCodecBench}. Beside the
 * product's package of this name, because what is timed is package-private.
 */
package io.tombolo.rdma.reliable;
