// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.util.Optional;

/**
 * The queues of a new queue pair.
 *
 * @param sent where finished sends are reported
 * @param received where finished receives are reported
 * @param shared where receives come from, if not from a queue of its own
 * @param sendDepth sends that may be posted and not finished
 * @param receiveDepth receives that may be posted, if it has a queue of its own
 * @param inlineBytes payload that a send may carry in the request itself; the device may give more
 */
record PairQueues(
    CompletionQueue sent,
    CompletionQueue received,
    Optional<SharedReceives> shared,
    int sendDepth,
    int receiveDepth,
    int inlineBytes) {}
