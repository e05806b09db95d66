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
import io.tombolo.runtime.ReductionOutlook;
import java.util.List;
import java.util.Optional;
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

  private static String lastCell(VendorRow row) {
    return String.valueOf(row.cells()[row.cells().length - 1]);
  }

  @Test
  public void shouldNameTheCompilerAndItsVersionWhereTheDeviceReduces() {
    VendorRow row = VendorRow.of(cuda(Optional.of(CompilerDialect.NVRTC.withLibraries(EMULATED))));
    assertEquals(row.compiler(), "NVRTC");
    assertEquals(row.cells()[4], "device (NVRTC)");
    assertEquals(row.reductions(), "device (NVRTC 12.9), pieces below 65536 bytes: host engine");
    assertTrue(lastCell(row).endsWith("; reductions: " + row.reductions()), lastCell(row));
  }

  @Test
  public void shouldSayWhyTheHostReducesWhereTheCompilersLibraryIsMissing() {
    CompilerDialect nowhere =
        CompilerDialect.NVRTC.withLibraries(ImmutableList.of("libnvrtc-that-is-not-there.so"));
    Vendor vendor = cuda(Optional.of(nowhere));
    VendorRow row = VendorRow.of(vendor);
    assertEquals(row.compiler(), "NVRTC");
    assertEquals(row.cells()[4], "device (NVRTC)", "what the row declares");
    assertTrue(
        row.reductions().startsWith("host engine (NVRTC cannot be used here: "), row.reductions());
    assertTrue(row.reductions().contains("libnvrtc-that-is-not-there.so"), row.reductions());
    assertEquals(row.reductions().lines().count(), 1, row.reductions());
    assertEquals(ReductionOutlook.of(vendor).fix(), nowhere.fix());
  }

  @Test
  public void shouldLeaveItToTheHostEngineWhereTheRowHasNoCompiler() {
    Vendor vendor = cuda(Optional.empty());
    VendorRow row = VendorRow.of(vendor);
    assertNull(row.compiler());
    assertEquals(row.cells()[4], "host engine");
    assertEquals(
        row.reductions(), "host engine (the CUDA driver API here runs no kernels of this program)");
    assertEquals(ReductionOutlook.of(vendor).fix(), "", "nothing to install would change it");
  }

  @Test
  public void shouldTellOfTheVendorsThatAreHere() {
    JsonObject emulated = vendor("emu-nvidia");
    assertEquals(emulated.get("compiler").getAsString(), "emulated NVRTC");
    assertEquals(
        emulated.get("reductions").getAsString(),
        "host engine (an emulated device's kernels are the host's work too)");
    JsonObject host = vendor("host");
    assertTrue(!host.has("compiler"), host.toString());
    assertEquals(host.get("reductions").getAsString(), "host engine (the device is the host)");
    List<String> lines = Ran.of("vendors").out().lines().toList();
    assertTrue(lines.get(0).contains("  reductions  "), lines.get(0));
    assertTrue(
        lines.stream()
            .anyMatch(line -> line.contains("  amd  ") && line.contains("  device (hipRTC)  ")),
        "declared, there or not: " + lines);
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
