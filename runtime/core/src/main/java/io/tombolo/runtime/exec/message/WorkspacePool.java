// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import io.tombolo.runtime.exec.memory.Stage;
import io.tombolo.runtime.exec.run.StepScheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * Workspaces for messages that progress at once: each is lent to one message and then to the next.
 */
final class WorkspacePool implements AutoCloseable {
  /**
   * What a message works with.
   *
   * @param stage where its message is put together, or arrives
   * @param scheduler where its steps run; it has them for itself, as messages wait for nobody
   */
  record Workspace(Stage stage, StepScheduler scheduler) {}

  private final Supplier<Workspace> newWorkspace;
  private final List<Workspace> all = new ArrayList<>();
  private final Deque<Workspace> free = new ArrayDeque<>();

  WorkspacePool(Supplier<Workspace> newWorkspace) {
    this.newWorkspace = newWorkspace;
  }

  Workspace borrow() {
    if (free.isEmpty()) {
      Workspace workspace = newWorkspace.get();
      all.add(workspace);
      return workspace;
    }
    return free.pop();
  }

  void giveBack(Workspace workspace) {
    free.push(workspace);
  }

  @Override
  public void close() {
    all.forEach(workspace -> workspace.stage().close());
  }
}
