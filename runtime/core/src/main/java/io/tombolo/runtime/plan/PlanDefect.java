// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * What {@link PlanVerifier} found wrong; never thrown for a plan this project's planner should
 * make.
 */
public final class PlanDefect extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PlanDefect(String message) {
    super(message);
  }
}
