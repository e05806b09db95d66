// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.rdma.SlotGeometry;

/** A connection from a peer that has proved the token. */
record Guest(PeerSocket socket, SlotGeometry geometry) {}
