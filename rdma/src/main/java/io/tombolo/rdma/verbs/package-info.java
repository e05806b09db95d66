// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA through libibverbs, opened at run time: what the library's objects are in Java, and the
 * fabrics over them.
 *
 * <p>Start at {@link io.tombolo.rdma.verbs.VerbsFabrics}. Below the fabrics, {@code VerbsLibrary}
 * opens devices; requests and completions travel in batches laid out off-heap ({@code
 * SendRequests}, {@code WorkCompletions}), one JNI call each.
 */
package io.tombolo.rdma.verbs;
