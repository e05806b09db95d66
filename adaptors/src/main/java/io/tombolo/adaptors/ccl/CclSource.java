package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.VendorException;
import java.util.function.Supplier;

/**
 * Where a vendor's collective library comes from: the half of a vendor that is not a device
 * runtime. Thread-safe.
 */
public interface CclSource {
  /** Whether the library can be opened here; if it can, it stays loaded. */
  Availability availability();

  /** Opens the library, to be used with {@code device}. */
  CclAdaptor open(DeviceAdaptor device);

  /**
   * The library that {@code dialect} describes; nothing is opened, or asked for, before it is
   * needed.
   */
  static CclSource of(Supplier<CclDialect> dialect) {
    return new CclSource() {
      @Override
      public Availability availability() {
        CclDialect row = dialect.get();
        try (CclAdaptor ccl = DialectCcl.open(row, () -> {})) {
          return new Availability.Available(ccl.version());
        } catch (UnavailableException | VendorException e) {
          return new Availability.Missing(e.getMessage(), row.fix());
        }
      }

      @Override
      public CclAdaptor open(DeviceAdaptor device) {
        return DialectCcl.open(dialect.get(), device::bindThread);
      }
    };
  }
}
