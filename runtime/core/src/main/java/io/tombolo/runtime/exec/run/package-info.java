// SPDX-License-Identifier: Apache-2.0
/**
 * From a plan to moved bytes.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.run.Executor}: it takes operations in the order of the
 * calls. {@code CallRoutes} has how a call gets there, and {@code OperationProgress} what one round
 * does with the operations {@code InFlight}: {@code Voting} on them, {@code TaskStarter} and {@code
 * OperationLimits}. Each has tasks, which the {@link io.tombolo.runtime.exec.run.TaskScheduler}
 * runs side by side; the steps of their programs go to {@code Engines} by the {@link
 * io.tombolo.runtime.exec.run.StepScheduler}.
 */
package io.tombolo.runtime.exec.run;
