// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Availability;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.VendorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The vendors' own compilers, which need no device. NVRTC is a wheel that {@code .ci/witnesses}
 * fetches; hipRTC of ROCm 5 is in Debian's libamdhip64-5.
 */
public final class KernelCompilerTest {
  private static final String FOLDER = System.getenv("TOMBOLO_WITNESS_DIR");

  /** Before the first compilation of the process. */
  private static final String CAUGHT_BEFORE;

  static {
    try {
      CAUGHT_BEFORE = caughtSignals();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @DataProvider
  public static Object[][] compilers() {
    return new Object[][] {
      {nvrtc(), ImmutableList.of(), "("},
      {CompilerDialect.HIPRTC, ImmutableList.of("--offload-arch=gfx90a"), ".kd"},
    };
  }

  private static CompilerDialect nvrtc() {
    return FOLDER == null
        ? CompilerDialect.NVRTC
        : CompilerDialect.NVRTC.withLibraries(
            ImmutableList.of(Path.of(FOLDER, "cuda", "lib", "libnvrtc.so.13").toString()));
  }

  /** In CI, where the folder is set, nothing may be missing. */
  private static KernelCompiler open(CompilerDialect dialect) {
    KernelCompiler compiler = new KernelCompiler(dialect);
    if (FOLDER == null && compiler.availability() instanceof Availability.Missing why) {
      throw new SkipException(why.cause() + "; .ci/witnesses FOLDER fetches it");
    }
    return compiler;
  }

  @Test(dataProvider = "compilers")
  public void shouldCompileAKernelForEachOperatorOfEachType(
      CompilerDialect dialect, ImmutableList<String> options, String afterName) {
    byte[] code = open(dialect).compile(KernelCompiler.reductions(), options);
    String text = new String(code, ISO_8859_1);
    for (ReduceOp op : ReduceOp.values()) {
      for (DataType type : DataType.values()) {
        String name = KernelCompiler.nameOf(op, type);
        assertTrue(text.contains(name + afterName) || !op.appliesTo(type), name);
      }
    }
  }

  @Test(dataProvider = "compilers")
  public void shouldCompileTheChecksum(
      CompilerDialect dialect, ImmutableList<String> options, String afterName) {
    byte[] code = open(dialect).compile(KernelCompiler.checksum(), options);
    String name = KernelCompiler.CHECKSUM + afterName;
    assertTrue(new String(code, ISO_8859_1).contains(name), name);
  }

  /**
   * LLVM would take those that end a process, and delete what it writes when the JVM has one of its
   * own, as each thread of Java may.
   */
  @Test(dataProvider = "compilers", priority = -1) // first: handlers may be gone after one signal
  public void shouldLeaveTheProcessItsSignals(
      CompilerDialect dialect, ImmutableList<String> options, String afterName) throws IOException {
    KernelCompiler compiler = open(dialect);
    CompletableFuture<byte[]> code =
        CompletableFuture.supplyAsync(() -> compiler.compile(KernelCompiler.checksum(), options));
    while (!code.isDone()) {
      assertEquals(caughtSignals(), CAUGHT_BEFORE, "while it compiles");
    }
    assertTrue(code.join().length > 0, afterName);
    assertEquals(caughtSignals(), CAUGHT_BEFORE, "afterwards");
  }

  private static String caughtSignals() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("SigCgt:")).findFirst().orElseThrow();
    }
  }

  @Test
  public void shouldNotLetNvrtcContractOrFlush() {
    byte[] code = open(nvrtc()).compile(KernelCompiler.reductions(), ImmutableList.of());
    String ptx = new String(code, ISO_8859_1);
    assertTrue(ptx.contains("add.f32") || ptx.contains("add.rn.f32"), "sums are there");
    assertFalse(ptx.contains("fma.") || ptx.contains(".ftz"), "an operation rounds otherwise");
  }

  @Test(dataProvider = "compilers")
  public void shouldGiveTheCompilersLogWhenTheSourceIsWrong(
      CompilerDialect dialect, ImmutableList<String> options, String afterName) {
    KernelCompiler compiler = open(dialect);
    VendorException error =
        expectThrows(
            VendorException.class,
            () -> compiler.compile("int f() { return undeclared_word; }", options));
    assertTrue(error.getMessage().contains("undeclared_word"), error.getMessage());
  }

  @Test
  public void shouldSayWhatToInstallWhereThereIsNoCompiler() {
    CompilerDialect nowhere =
        CompilerDialect.NVRTC.withLibraries(ImmutableList.of("libnvrtc-that-is-not-there.so"));
    KernelCompiler compiler = new KernelCompiler(nowhere);
    Availability.Missing why = (Availability.Missing) compiler.availability();
    assertTrue(why.cause().contains("libnvrtc-that-is-not-there.so"), why.cause());
    assertEquals(why.fix(), nowhere.fix());
    String source = KernelCompiler.reductions();
    expectThrows(UnavailableException.class, () -> compiler.compile(source, ImmutableList.of()));
  }
}
