// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** One run of a {@link World}, from its first thread to that one's end. */
public final class Simulation {
  private static final long LIMIT_S = 600;
  private static final long PARTING_MS = 5_000;

  /** What the first thread of a world does. */
  public interface Scene {
    /** Does it; an error is that of the run. */
    void play(World world) throws Exception;
  }

  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicReference<Throwable> error = new AtomicReference<>();
  private final Trace trace;

  private Simulation(Trace trace) {
    this.trace = trace;
  }

  /** Runs {@code scene} with {@code seed}; throws what went wrong there. */
  public static Trace run(long seed, Scene scene) {
    Trace trace = new Trace();
    new Simulation(trace).play(seed, scene);
    return trace;
  }

  private void play(long seed, Scene scene) {
    AtomicReference<World> born = new AtomicReference<>();
    World world = new World(seed, trace, () -> onHang(born.get()));
    born.set(world);
    SimThread first =
        new SimThread(world, world.newProcess("scene"), () -> play(scene, world), "scene");
    first.setContextClassLoader(scene.getClass().getClassLoader());
    first.start();
    first.giveTurn();
    await(world);
    end(world);
    if (!world.uncaught().isEmpty()) { // what else went wrong comes of it
      error.set(world.uncaught().get(0));
    }
    if (error.get() != null) {
      throw new AssertionError(
          "-Dtombolo.seed=%s: %s\nThe last steps:\n%s"
              .formatted(seed, error.get().getMessage(), String.join("\n", trace.last())),
          error.get());
    }
  }

  /** The world stops where the scene ends: nobody gets the turn after it. */
  private void play(Scene scene, World world) {
    try {
      scene.play(world);
    } catch (SimThread.Doomed e) {
      throw e;
    } catch (Throwable e) {
      error.compareAndSet(null, e);
    }
    over.countDown();
    SimThread.here().doomed = true;
  }

  private void onHang(World world) {
    error.compareAndSet(null, new AssertionError("all wait for ever:\n" + stacks(world)));
    over.countDown();
  }

  private void await(World world) {
    try {
      if (!over.await(LIMIT_S, TimeUnit.SECONDS)) {
        error.set(
            new AssertionError(
                "the simulation itself is stuck after %s steps:\n%s"
                    .formatted(world.steps(), stacks(world))));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** What is left ends by an error, one thread after the other. */
  private void end(World world) {
    try {
      for (SimThread each : new ArrayList<>(world.threads())) {
        each.doomed = true;
        each.giveTurn();
        each.join(PARTING_MS);
        if (each.isAlive()) {
          error.compareAndSet(null, new AssertionError(each + " cannot be ended:\n" + stack(each)));
        }
      }
      for (AutoCloseable each : world.memory()) {
        each.close();
      }
    } catch (Exception e) {
      error.compareAndSet(null, e);
    }
  }

  static String stacks(World world) {
    StringBuilder all = new StringBuilder();
    List.copyOf(world.threads()).forEach(each -> all.append(stack(each)));
    return all.toString();
  }

  private static String stack(SimThread thread) {
    StringBuilder text = new StringBuilder(thread + " " + thread.process.state + "\n");
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (!frame.getClassName().startsWith("io.tombolo.runtime.simulation")
          && !frame.getClassName().startsWith("java.")
          && !frame.getClassName().startsWith("jdk.")) {
        text.append("    ").append(frame).append('\n');
      }
    }
    return text.toString();
  }
}
