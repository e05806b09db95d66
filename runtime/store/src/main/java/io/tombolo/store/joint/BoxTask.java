// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.joint;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;

/**
 * What a writer writes of one of its parts.
 *
 * @param tensor the number of the tensor in the plan
 * @param boxes disjoint, none empty; no box if others write all of it
 */
public record BoxTask(int tensor, ImmutableList<Box> boxes) {}
