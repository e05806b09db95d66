// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.work.WorkSpan;

/**
 * One rank's recorded times of one call.
 *
 * @param rank the rank
 * @param call which call: {@code 8 B in place}
 * @param spans the stages that it was in
 */
record CallTrace(int rank, String call, ImmutableList<WorkSpan> spans) {}
