// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Step;
import java.util.Optional;

/**
 * Does the arithmetic of plans, each step on the device or on the host, as {@link Reductions} say.
 */
public final class ArithmeticEngine implements Engine, AutoCloseable {
  private final HostEngine host;
  private final Optional<DeviceEngine> device;
  private final long fromBytes;

  /**
   * An engine of {@code on}, where kernels run on {@code stream}; that and {@code reducers} stay
   * the caller's, and {@code wake} wakes the agent.
   */
  public ArithmeticEngine(
      DeviceAdaptor on, Reductions reductions, Reducers reducers, Stream stream, Runnable wake) {
    this.host = new HostEngine(reducers, wake);
    this.device = reductions.device().map(reducer -> new DeviceEngine(on, reducer, stream));
    this.fromBytes = reductions.fromBytes();
  }

  /** Steps that the device did, or is about to do. Thread-safe. */
  public long onDevice() {
    return device.map(DeviceEngine::started).orElse(0L);
  }

  @Override
  public boolean start(Step step, Binding binding, Ended ended) {
    Engine engine = isForDevice(step.action(), binding) ? device.orElseThrow() : host;
    return engine.start(step, binding, ended);
  }

  private boolean isForDevice(Action action, Binding binding) {
    return device.isPresent()
        && action instanceof Action.Combine combine
        && combine.reduction().kind() != Reduction.Kind.USER_DEFINED
        && binding.bytes(combine.into()) >= fromBytes;
  }

  @Override
  public int poll() {
    return host.poll() + (device.isPresent() ? device.get().poll() : 0);
  }

  @Override
  public void close() {
    device.ifPresent(DeviceEngine::close);
  }
}
