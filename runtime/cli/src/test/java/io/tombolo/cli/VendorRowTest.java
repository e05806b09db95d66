// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.ccl.HostCcl;
import io.tombolo.adaptors.device.CompilerDialect;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.vendor.DialectVendor;
import io.tombolo.cli.console.Wrapped;
import io.tombolo.runtime.ReductionOutlook;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * What is said of reductions. The emulated CUDA stands for a machine with a GPU: a vendor that does
 * not call it emulated is treated as the real one.
 */
public final class VendorRowTest {
  private static final ImmutableList<String> EMULATED =
      ImmutableList.of("libtombolo_emu_nvidia.so");

  /** From then on the loader knows the library by its name. */
  @BeforeClass
  public void loadTheEmulation() {
    assertTrue(Vendors.named("emu-nvidia").availability().isAvailable());
  }

  private static Vendor cuda(Optional<CompilerDialect> compiler) {
    DeviceDialect row = DeviceDialects.CUDA.withLibraries(EMULATED).withCompiler(compiler);
    return new DialectVendor(
        "acme", Vendor.Provenance.REAL, DeviceSource.of(() -> row), "never", HostCcl::row);
  }

  private static String text(VendorRow row) {
    return row.lines().stream().map(String::strip).collect(Collectors.joining(" "));
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheCompilerAndItsVersionWhereTheDeviceReduces() {
    VendorRow row = VendorRow.of(cuda(Optional.of(CompilerDialect.NVRTC.withLibraries(EMULATED))));
    assertEquals(row.compiler(), "NVRTC");
    assertTrue(text(row).contains("; reductions by: device (NVRTC) "), text(row));
    assertEquals(row.reductions(), "device (NVRTC 12.9), pieces below 65536 bytes: host engine");
    assertTrue(text(row).endsWith("; reductions: " + row.reductions()), text(row));
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhyTheHostReducesWhereTheCompilersLibraryIsMissing() {
    CompilerDialect nowhere =
        CompilerDialect.NVRTC.withLibraries(ImmutableList.of("libnvrtc-that-is-not-there.so"));
    Vendor vendor = cuda(Optional.of(nowhere));
    VendorRow row = VendorRow.of(vendor);
    assertEquals(row.compiler(), "NVRTC");
    assertTrue(text(row).contains("; reductions by: device (NVRTC) "), text(row));
    assertTrue(
        row.reductions().startsWith("host engine (NVRTC cannot be used here: "), row.reductions());
    assertTrue(row.reductions().contains("libnvrtc-that-is-not-there.so"), row.reductions());
    assertEquals(row.reductions().lines().count(), 1, row.reductions());
    assertEquals(ReductionOutlook.of(vendor).fix(), nowhere.fix());
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveItToTheHostEngineWhereTheRowHasNoCompiler() {
    Vendor vendor = cuda(Optional.empty());
    VendorRow row = VendorRow.of(vendor);
    assertNull(row.compiler());
    assertTrue(text(row).contains("; reductions by: host engine "), text(row));
    assertEquals(
        row.reductions(), "host engine (the CUDA driver API here runs no kernels of this program)");
    assertEquals(ReductionOutlook.of(vendor).fix(), "", "nothing to install would change it");
  }

  @Test(timeOut = 120_000)
  public void shouldTellOfTheVendorsThatAreHere() {
    JsonObject emulated = vendor("emu-nvidia");
    assertEquals(emulated.get("compiler").getAsString(), "emulated NVRTC");
    assertEquals(
        emulated.get("reductions").getAsString(),
        "host engine (an emulated device's kernels are the host's work too)");
    JsonObject host = vendor("host");
    assertTrue(!host.has("compiler"), host.toString());
    assertEquals(host.get("reductions").getAsString(), "host engine (the device is the host)");
  }

  @Test(timeOut = 120_000)
  public void shouldFitATerminalAndFoldTheVendorsThatAreNotHere() {
    List<String> few = Ran.of("vendors").out().lines().toList();
    List<String> all = Ran.of("vendors --all").out().lines().toList();
    assertTrue(few.stream().anyMatch(line -> line.startsWith("  emu-nvidia  ")), "" + few);
    String folded =
        few.stream()
            .dropWhile(line -> !line.contains("not here:"))
            .collect(Collectors.joining(" "));
    assertTrue(folded.contains(" metax,"), folded);
    assertTrue(few.stream().noneMatch(line -> line.contains("missing:")), "" + few);
    int metax =
        all.indexOf(all.stream().filter(line -> line.contains("  metax ")).findFirst().get());
    String told = String.join(" ", all.subList(metax, metax + 8));
    assertTrue(told.contains("missing: ") && told.contains("→ "), told);
    Stream.concat(few.stream(), all.stream())
        .forEach(line -> assertTrue(line.length() <= Wrapped.COLUMNS, line));
  }

  private static JsonObject vendor(String name) {
    for (JsonElement each :
        JsonParser.parseString(Ran.of("vendors --json").out()).getAsJsonArray()) {
      if (each.getAsJsonObject().get("name").getAsString().equals(name)) {
        return each.getAsJsonObject();
      }
    }
    throw new AssertionError("no vendor is called " + name);
  }
}
