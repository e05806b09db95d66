// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Availability;
import io.tombolo.base.Capabilities;
import java.util.Optional;

/**
 * One vendor as this process sees it: a name, and how to open its device runtime and its collective
 * library.
 */
public interface Vendor {

  /** Where the libraries behind a vendor come from. */
  enum Provenance {
    /** The vendor's own libraries. */
    REAL,
    /** This project's stand-ins with the vendor's ABI; never called by the vendor's bare name. */
    EMULATED,
    /** This project's own host implementation. */
    OWN
  }

  /** The vendor string: lower case, for example {@code nvidia}, {@code intel}, {@code emu-amd}. */
  String name();

  /** Where its libraries come from. */
  Provenance provenance();

  /** What its rows' names and numbers are held against by a test, runtime and library, in words. */
  String witness();

  /** Where its libraries were really run by this project, in words. */
  String ran();

  /** Whether its only device is the host itself, so that its memory is the host's. */
  boolean isHost();

  /**
   * What its collective library is declared to do, also where it is not installed; the library that
   * is opened may lack some of it.
   */
  Capabilities declared();

  /**
   * What its libraries find with {@code getenv}: exported before the first of them is opened. In a
   * process that opens several vendors that is before each vendor's own.
   */
  LibraryEnvironment environment();

  /** Whether both libraries can be opened here; probing has no lasting effect. */
  Availability availability();

  /**
   * What its runtime says of each accelerator, by ordinal, without opening one; nothing where the
   * runtime does not load, and where the vendor's only device is the host itself.
   */
  ImmutableList<DeviceProperties> devices();

  /**
   * What keeps a device apart from others of this vendor: its architecture, if the collective
   * library joins devices of one architecture only; else empty.
   */
  String apart(DeviceProperties device);

  /**
   * What its row says compiles reductions for its devices, for example {@code NVRTC}; nothing where
   * reductions are the host's.
   */
  Optional<String> compiler();

  /**
   * Whether its devices reduce here, as {@link DeviceAdaptor#reducing} says of an open one, without
   * opening one.
   */
  Availability reducing();

  /** How its streams wait for operations, as far as its row tells. */
  OrderKeeper orderKeeper();

  /** Opens the runtime of device {@code ordinal}. Whoever opens it closes it. */
  DeviceAdaptor openDevice(int ordinal);

  /**
   * Likewise, for who has no use for the collective library: nothing is exported for it, as others
   * in this process may use it in their own way.
   */
  DeviceAdaptor openRuntime(int ordinal);

  /** Opens the collective library, to be used with {@code device}. */
  CclAdaptor openCcl(DeviceAdaptor device);
}
