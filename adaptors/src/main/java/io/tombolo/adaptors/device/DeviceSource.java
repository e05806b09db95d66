// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.OrderKeeper;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Availability;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where a vendor's devices come from: the half of a vendor that is a device runtime. Thread-safe.
 */
public interface DeviceSource {
  /** What the runtime's row is held against; {@link Witness#OWN} where there is no runtime. */
  Witness witness();

  /** Whether the only device is the host itself. */
  boolean isHost();

  /** Whether there is a device to open here. */
  Availability availability();

  /**
   * What the runtime says of each device, by ordinal, without opening one; nothing where it does
   * not load, and where the only device is the host itself.
   */
  ImmutableList<DeviceProperties> devices();

  /** What the runtime's row says compiles kernels for its devices, if it says so. */
  Optional<CompilerDialect> compiler();

  /** Whether the devices reduce here, without opening one. */
  Availability reducing();

  /** How its streams wait for operations, as far as is known without opening a device. */
  OrderKeeper orderKeeper();

  /** Opens device {@code ordinal}. */
  DeviceAdaptor open(int ordinal);

  /**
   * Devices of the runtime that {@code dialect} describes; nothing is opened, or asked for, before
   * it is needed.
   */
  static DeviceSource of(Supplier<DeviceDialect> dialect) {
    return new DeviceSource() {
      @Override
      public Witness witness() {
        return dialect.get().witness();
      }

      @Override
      public boolean isHost() {
        return false;
      }

      @Override
      public Availability availability() {
        return DeviceRuntime.availability(dialect.get());
      }

      @Override
      public ImmutableList<DeviceProperties> devices() {
        return DeviceRuntime.devices(dialect.get());
      }

      @Override
      public Optional<CompilerDialect> compiler() {
        return dialect.get().compiler();
      }

      @Override
      public Availability reducing() {
        return DeviceRuntime.reducing(dialect.get());
      }

      @Override
      public OrderKeeper orderKeeper() {
        return dialect.get().orderKeeper();
      }

      @Override
      public DeviceAdaptor open(int ordinal) {
        return DeviceRuntime.open(dialect.get()).device(ordinal);
      }
    };
  }

  /** The host as the only device; every ordinal is the same. */
  static DeviceSource host() {
    return new DeviceSource() {
      @Override
      public Witness witness() {
        return Witness.OWN;
      }

      @Override
      public boolean isHost() {
        return true;
      }

      @Override
      public Availability availability() {
        return new Availability.Available("host");
      }

      @Override
      public ImmutableList<DeviceProperties> devices() {
        return ImmutableList.of();
      }

      @Override
      public Optional<CompilerDialect> compiler() {
        return Optional.empty();
      }

      @Override
      public Availability reducing() {
        return HostDevice.reductions();
      }

      @Override
      public OrderKeeper orderKeeper() {
        return OrderKeeper.BY_DEVICE;
      }

      @Override
      public DeviceAdaptor open(int ordinal) {
        return new HostDevice();
      }
    };
  }
}
