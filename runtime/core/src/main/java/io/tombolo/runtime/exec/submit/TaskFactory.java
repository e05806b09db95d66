// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.runtime.plan.CollectiveCall;

/** Plans calls on memory of this process's device. */
@FunctionalInterface
public interface TaskFactory {
  /** What there is to do for {@code call}, whose input and output begin at these addresses. */
  Task task(CollectiveCall call, long send, long receive);
}
