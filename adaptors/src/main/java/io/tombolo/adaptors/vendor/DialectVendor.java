// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.vendor;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.LibraryEnvironment;
import io.tombolo.adaptors.OrderKeeper;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Witness;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.DialectCcl;
import io.tombolo.adaptors.ccl.OnDevice;
import io.tombolo.adaptors.device.CompilerDialect;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.base.Availability;
import io.tombolo.base.Capabilities;
import io.tombolo.topology.machine.Architectures;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A vendor made of two halves, each described by a table row: a device runtime and a collective
 * library.
 *
 * @param name the vendor string
 * @param provenance where the libraries come from
 * @param deviceSource the device runtime
 * @param ran where they were really run, in words
 * @param collectives the row of the collective library, asked for when it is needed
 */
public record DialectVendor(
    String name,
    Provenance provenance,
    DeviceSource deviceSource,
    String ran,
    Supplier<CclDialect> collectives)
    implements Vendor {

  @Override
  public String witness() {
    Witness runtime = deviceSource.witness();
    Witness library = collectives.get().witness();
    return runtime == library || runtime == Witness.OWN
        ? library.text()
        : "runtime: " + runtime.text() + "; library: " + library.text();
  }

  @Override
  public boolean isHost() {
    return deviceSource.isHost();
  }

  @Override
  public Capabilities declared() {
    return collectives.get().capabilities();
  }

  @Override
  public LibraryEnvironment environment() {
    return collectives.get().source().environment();
  }

  /** Both halves, the device first: the collective library is of no use without one. */
  @Override
  public Availability availability() {
    DialectCcl.exportEnvironment(collectives.get());
    Availability runtime = deviceSource.availability();
    if (!(runtime instanceof Availability.Available device)) {
      return runtime;
    }
    Availability library = DialectCcl.probe(collectives.get());
    return library instanceof Availability.Available ccl
        ? new Availability.Available(device.version() + ", " + ccl.version())
        : library;
  }

  @Override
  public ImmutableList<DeviceProperties> devices() {
    DialectCcl.exportEnvironment(collectives.get());
    return deviceSource.devices();
  }

  @Override
  public String apart(DeviceProperties device) {
    return declared().has(Capabilities.Flag.SAME_ARCHITECTURE_ONLY)
        ? Architectures.of(name, device.name())
        : "";
  }

  @Override
  public Optional<String> compiler() {
    return deviceSource.compiler().map(CompilerDialect::name);
  }

  @Override
  public OrderKeeper orderKeeper() {
    return deviceSource.orderKeeper();
  }

  @Override
  public Availability reducing() {
    DialectCcl.exportEnvironment(collectives.get());
    return deviceSource.reducing();
  }

  @Override
  public DeviceAdaptor openDevice(int ordinal) {
    DialectCcl.exportEnvironment(collectives.get());
    return openRuntime(ordinal);
  }

  @Override
  public DeviceAdaptor openRuntime(int ordinal) {
    return deviceSource.open(ordinal);
  }

  @Override
  public CclAdaptor openCcl(DeviceAdaptor device) {
    return DialectCcl.open(collectives.get(), OnDevice.of(device));
  }
}
