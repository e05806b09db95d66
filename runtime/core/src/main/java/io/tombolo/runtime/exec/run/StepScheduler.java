// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Carries runs out side by side. Other ranks rely on the order of vendor calls and of messages: on
 * those resources a run's steps start when all steps of earlier runs have started. Copies and
 * arithmetic are a rank's own business and know no order between runs.
 *
 * <p>Nothing can wait for itself: the first of all runs never waits for another.
 */
public final class StepScheduler {
  private final Function<Resource, Engine> engineOf;
  private final Map<Resource, RunQueue> queues = new HashMap<>();
  private final Map<Engine, ExecutionUnit> units = new HashMap<>();
  private final List<RunQueue> waiting = new ArrayList<>();
  private final List<ExecutionUnit> working = new ArrayList<>();

  /** A scheduler for engines that {@code engineOf} gives, always the same one for a resource. */
  public StepScheduler(Function<Resource, Engine> engineOf) {
    this.engineOf = engineOf;
  }

  /** An engine, and how many steps it has under way. */
  final class ExecutionUnit {
    private final Engine engine;
    private int underWay;
    private boolean isWorking;

    private ExecutionUnit(Engine engine) {
      this.engine = engine;
    }

    boolean start(Step step, Binding binding, Engine.Ended ended) {
      if (!engine.start(step, binding, ended)) {
        return false;
      }
      underWay++;
      if (!isWorking) {
        isWorking = true;
        working.add(this);
      }
      return true;
    }

    void stepEnded() {
      underWay--;
    }
  }

  /** Who waits for one resource, in the order of the runs. */
  private static final class RunQueue {
    private final ExecutionUnit unit;
    private final boolean ordered;
    private final List<StepSequence> sequences = new ArrayList<>();

    private RunQueue(ExecutionUnit unit, boolean ordered) {
      this.unit = unit;
      this.ordered = ordered;
    }

    private int start() {
      int started = 0;
      for (int i = 0; i < sequences.size(); ) {
        StepSequence sequence = sequences.get(i);
        started += sequence.start();
        if (sequence.isExhausted()) {
          sequences.remove(i);
        } else if (ordered) {
          break;
        } else {
          i++;
        }
      }
      return started;
    }
  }

  /** Takes {@code run} in, behind all that came before. */
  public void add(ProgramRun run) {
    for (int i = 0; i < run.sequences().size(); i++) {
      StepSequence sequence = run.sequences().get(i);
      RunQueue queue = queueOf(sequence.resource());
      sequence.assignTo(queue.unit);
      if (queue.sequences.isEmpty()) {
        waiting.add(queue);
      }
      queue.sequences.add(sequence);
    }
  }

  private RunQueue queueOf(Resource resource) {
    RunQueue queue = queues.get(resource);
    if (queue == null) {
      queue = open(resource);
      queues.put(resource, queue);
    }
    return queue;
  }

  private RunQueue open(Resource resource) {
    boolean ordered =
        switch (resource.kind()) {
          case VENDOR, FLAT, SEND, RECEIVE -> true;
          case COPY, HOST -> false;
        };
    return new RunQueue(
        units.computeIfAbsent(engineOf.apply(resource), ExecutionUnit::new), ordered);
  }

  /** Starts and ends what it can; returns how many steps it moved. */
  public int work() {
    int moved = 0;
    for (int i = 0; i < waiting.size(); ) {
      RunQueue queue = waiting.get(i);
      moved += queue.start();
      if (queue.sequences.isEmpty()) {
        waiting.remove(i);
      } else {
        i++;
      }
    }
    for (int i = 0; i < working.size(); ) {
      ExecutionUnit unit = working.get(i);
      moved += unit.engine.poll();
      if (unit.underWay == 0) {
        unit.isWorking = false;
        working.remove(i);
      } else {
        i++;
      }
    }
    return moved;
  }
}
