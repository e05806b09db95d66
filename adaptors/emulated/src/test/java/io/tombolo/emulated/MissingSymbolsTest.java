// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSet;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Libraries that lack functions: what can be done without is gone, and the rest is said. */
public final class MissingSymbolsTest {
  private static final String REDUCES = "reducing: Available";
  private static final String EXCHANGES = "ALL_TO_ALL";

  /** A vendor, and a symbol that its collective library or its device runtime cannot do without. */
  @DataProvider
  public static Object[][] needed() {
    return new Object[][] {
      {"emu-nvidia", "ncclCommAbort"},
      {"emu-nvidia", "cuMemAlloc_v2"},
      {"emu-amd", "hipStreamWaitValue64"},
      {"emu-ascend", "HcclAllReduce"},
      {"emu-cambricon", "cnrtMemcpyAsync"},
      {"emu-gaudi", "hcclAllReduce"}
    };
  }

  @Test(timeOut = 300_000)
  public void shouldHaveEverythingWhenNothingIsMissing() {
    String said = without("emu-nvidia", "");
    assertTrue(said.startsWith("Available"), said);
    assertTrue(said.contains(EXCHANGES) && said.contains(REDUCES), said);
  }

  @Test(timeOut = 300_000, dataProvider = "needed")
  public void shouldBeUnavailableAndNameTheSymbolWhenItIsNeeded(String vendor, String symbol) {
    String said = without(vendor, symbol);
    assertTrue(said.startsWith("Missing"), said);
    assertTrue(said.contains("no symbol " + symbol), said);
  }

  @Test(timeOut = 300_000)
  public void shouldDoWithoutAnOperationThatTheCollectiveLibraryLacks() {
    String said = without("emu-nvidia", "ncclAlltoAll");
    assertTrue(said.startsWith("Available"), said);
    assertTrue(said.contains("ALL_REDUCE") && said.contains(REDUCES), said);
    assertFalse(said.contains(EXCHANGES), said);
  }

  @Test(timeOut = 300_000)
  public void shouldReduceOnTheHostWhereTheRuntimeRunsNoKernels() {
    String said = without("emu-nvidia", "cuModuleLoadData, cuLaunchKernel");
    assertTrue(said.startsWith("Available") && said.contains("runs no kernels"), said);
    assertTrue(said.contains(EXCHANGES), said);
  }

  @Test(timeOut = 300_000)
  public void shouldReduceOnTheHostWhereTheCompilerLacksACall() {
    String said = without("emu-nvidia", "nvrtcCompileProgram");
    assertTrue(said.startsWith("Available") && said.contains("nvrtcCompileProgram"), said);
    assertFalse(said.contains(REDUCES), said);
  }

  @Test(timeOut = 300_000)
  public void shouldKeepWhatTheLibraryCallsItself() {
    String said = without("emu-amd", "hipGetErrorName");
    assertTrue(said.contains("no symbol hipGetErrorName"), said);
  }

  @Test(timeOut = 300_000)
  public void shouldReadNamesBetweenCommas() {
    assertEquals(
        MissingSymbols.of(Map.of(MissingSymbols.VARIABLE, "one, two,,")),
        ImmutableSet.of("one", "two"));
    assertEquals(MissingSymbols.of(Map.of()), ImmutableSet.of());
  }

  private static String without(String vendor, String symbols) {
    return ChildProcess.run(LackProgram.class, Map.of(MissingSymbols.VARIABLE, symbols), vendor)
        .output();
  }
}
