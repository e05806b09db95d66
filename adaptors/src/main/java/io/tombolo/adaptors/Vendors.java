// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Finds vendors by the name they go by on command lines and in rank descriptors. */
public final class Vendors {
  private static final String HOST = "host";

  private Vendors() {}

  /** Every vendor that an artefact on the path contributes, by name. */
  public static List<Vendor> all() {
    return ServiceLoader.load(VendorProvider.class).stream()
        .flatMap(provider -> provider.get().vendors().stream())
        .sorted(java.util.Comparator.comparing(Vendor::name))
        .toList();
  }

  /** The vendor called {@code name}; a {@link UsageException} names the choices. */
  public static Vendor named(String name) {
    return named(name, all());
  }

  /** This project's own: its library is the host library. */
  public static Vendor host() {
    return named(HOST);
  }

  static Vendor named(String name, List<Vendor> all) {
    return all.stream()
        .filter(vendor -> vendor.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name, all));
  }

  private static UsageException unknown(String name, List<Vendor> all) {
    if (all.isEmpty()) {
      return new UsageException(
          "nobody knows the vendor '"
              + name
              + "', because no vendor is on the class path: add io.tombolo:tombolo-adaptors, and"
              + " where jars are merged into one, merge META-INF/services too (maven-shade-plugin:"
              + " ServicesResourceTransformer)");
    }
    return new UsageException(
        "nobody knows the vendor '"
            + name
            + "'; known here: "
            + all.stream().map(Vendor::name).collect(Collectors.joining(", "))
            + "; one of your own needs its artefact on the class path, with its entry in"
            + " META-INF/services");
  }
}
