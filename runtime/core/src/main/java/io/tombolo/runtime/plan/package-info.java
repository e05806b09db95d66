// SPDX-License-Identifier: Apache-2.0
/**
 * From a call to a proven program. Pure: no I/O, no clock, no native code.
 *
 * <p>Start at {@link io.tombolo.runtime.plan.Planner}, which turns a {@link
 * io.tombolo.runtime.plan.CollectiveCall} into one rank's {@link io.tombolo.runtime.plan.Plan};
 * {@link io.tombolo.runtime.plan.PlanVerifier} proves all ranks' plans right together.
 */
package io.tombolo.runtime.plan;
