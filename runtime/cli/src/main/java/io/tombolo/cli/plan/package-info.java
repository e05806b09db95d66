// SPDX-License-Identifier: Apache-2.0
/**
 * The planner at the command line: what every rank of an imagined job would do, and that it is
 * right.
 *
 * <p>Start at {@link io.tombolo.cli.plan.PlanCommand}.
 */
package io.tombolo.cli.plan;
