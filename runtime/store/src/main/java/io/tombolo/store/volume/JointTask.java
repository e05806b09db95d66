// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.joint.BoxTask;

/**
 * What one of several writers writes.
 *
 * @param tensors all tensors of the version
 * @param parts what to write of each part that the writer has
 */
record JointTask(ImmutableList<StoredTensor> tensors, ImmutableList<BoxTask> parts) {}
