// SPDX-License-Identifier: Apache-2.0
/**
 * What several writers of one version agree on, and who of them writes what. Pure.
 *
 * <p>Start at {@link io.tombolo.store.joint.JointPlan}.
 */
package io.tombolo.store.joint;
