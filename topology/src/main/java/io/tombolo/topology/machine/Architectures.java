// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which devices a vendor's collective library does not join in one communicator. A vendor without a
 * row has a library that takes its devices as they come.
 *
 * <p>Sources: PCI device ids from drivers/accel/habanalabs of Linux and from pci.ids; Ascend: CANN
 * 9.0, HcclGetHeterogMode, which knows communicators of one generation and those of A2 with A3;
 * Gaudi: github.com/HabanaAI/HCL, where a communicator has the hardware abstraction of one
 * generation (hcl_dynamic_communicator.cpp). NCCL and RCCL choose among the algorithms that all
 * members can do (src/init.cc, minCompCap and maxCompCap), oneCCL goes through Level Zero or the
 * host, alike for all devices: they have no row.
 */
public final class Architectures {
  private record Row(String vendor, String architecture, Pattern models) {
    Row(String vendor, String architecture, String models) {
      this(vendor, architecture, Pattern.compile(models));
    }
  }

  private static final ImmutableList<Row> KNOWN =
      ImmutableList.of(
          new Row("gaudi", "gaudi2", "1020|.*gaudi ?2.*|hl-22[58].*"),
          new Row("gaudi", "gaudi3", "106[0-3]|.*gaudi ?3.*|hl-3[238][58].*"),
          new Row("gaudi", "gaudi1", "1000|1010|.*gaudi( ?1)?|hl-20[05].*"),
          new Row("ascend", "a2 or a3", "d80[23]|.*910_?(b\\d.*|9[0-9].*|c)|.*910b"),
          new Row("ascend", "910", "d801|.*910(a|pro.*)?"));

  private Architectures() {}

  /** Whether {@code vendor}'s library refuses communicators of devices that differ. */
  public static boolean areApart(String vendor) {
    return KNOWN.stream().anyMatch(row -> row.vendor.equals(vendor));
  }

  /**
   * The architecture of a device that is called {@code model}, which is its name in the vendor's
   * words or its PCI device id; the model itself where nothing more is known.
   */
  public static String of(String vendor, String model) {
    String name = model.strip().toLowerCase(Locale.ROOT);
    return KNOWN.stream()
        .filter(row -> row.vendor.equals(vendor) && row.models.matcher(name).matches())
        .findFirst()
        .map(Row::architecture)
        .orElse(name);
  }

  /**
   * What keeps a device apart from others of its vendor; empty where nothing does, or where the
   * model only repeats the vendor.
   */
  public static String apart(String vendor, String model) {
    return areApart(vendor) && !model.equals(vendor) ? of(vendor, model) : "";
  }
}
