// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What PCI numbers mean. Source: the PCI ID repository, pci.ids. */
public final class PciIds {
  /** Base class of display controllers, which most accelerators say they are. */
  private static final int DISPLAY = 0x03;

  /** Base class of processing accelerators. */
  private static final int PROCESSING = 0x12;

  private static final int NETWORK = 0x02;
  private static final int BRIDGE = 0x06;
  private static final Pattern ADDRESS =
      Pattern.compile("(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\\.([0-9a-f]))?");

  private static final ImmutableMap<Integer, String> ACCELERATOR_VENDORS =
      ImmutableMap.<Integer, String>builder()
          .put(0x10de, "nvidia")
          .put(0x1002, "amd")
          .put(0x8086, "intel")
          .put(0x1da3, "gaudi")
          .put(0x19e5, "ascend")
          .put(0xcabc, "cambricon")
          .put(0x9999, "metax")
          .put(0x1ed5, "musa")
          .put(0x1e3e, "iluvatar")
          .put(0x1d22, "kunlunxin")
          .put(0x1d94, "hygon")
          .put(0x1ae0, "tpu")
          .buildOrThrow();

  private PciIds() {}

  /**
   * The vendor string of a function that ranks can compute on. Display controllers count where
   * their vendor makes nothing else; Intel's built-in graphics (sub-class 00) do not.
   */
  public static Optional<String> acceleratorVendor(int vendorId, int classId) {
    String vendor = ACCELERATOR_VENDORS.get(vendorId);
    boolean display = baseClass(classId) == DISPLAY;
    boolean builtIn = display && "intel".equals(vendor) && subClass(classId) == 0;
    boolean computes = (display && !builtIn) || baseClass(classId) == PROCESSING;
    return computes ? Optional.ofNullable(vendor) : Optional.empty();
  }

  /** Whether a class is that of a network controller. */
  public static boolean isNetwork(int classId) {
    return baseClass(classId) == NETWORK;
  }

  /** Whether a class is that of a bridge between buses (06 04). */
  public static boolean isBusBridge(int classId) {
    return baseClass(classId) == BRIDGE && subClass(classId) == 4;
  }

  /** Whether a class is that of a bridge of another kind (06 80), as NVSwitch is. */
  public static boolean isOtherBridge(int classId) {
    return baseClass(classId) == BRIDGE && subClass(classId) == 0x80;
  }

  /** A PCI address in the kernel's spelling: domain, lower case, function. */
  public static String address(String text) {
    Matcher matcher = ADDRESS.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new UsageException("'" + text + "' is not a PCI address such as 0000:1b:00.0");
    }
    String domain = Optional.ofNullable(matcher.group(1)).orElse("0000");
    String function = Optional.ofNullable(matcher.group(4)).orElse("0");
    String shortDomain = domain.replaceFirst("^0+(?=.{4,}$)", "");
    return shortDomain + ":" + matcher.group(2) + ":" + matcher.group(3) + "." + function;
  }

  private static int baseClass(int classId) {
    return classId >> 16 & 0xff;
  }

  private static int subClass(int classId) {
    return classId >> 8 & 0xff;
  }
}
