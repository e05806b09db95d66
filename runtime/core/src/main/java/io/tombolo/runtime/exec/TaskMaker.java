package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.CollectiveCall;

/** Plans calls on memory of this process's device. */
@FunctionalInterface
public interface TaskMaker {
  /** What there is to do for {@code call}, whose input and output begin at these addresses. */
  Task task(CollectiveCall call, long send, long receive);
}
