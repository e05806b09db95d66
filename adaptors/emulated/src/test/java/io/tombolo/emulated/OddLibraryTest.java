// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.DialectCcl;
import io.tombolo.adaptors.ccl.LibrarySource;
import io.tombolo.adaptors.ccl.OnDevice;
import io.tombolo.adaptors.ccl.OwnShapeDialects;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** A library, compiled here, that does what none is supposed to do. */
public final class OddLibraryTest {
  private static final int FEW = 5;

  /** An abort waits longer for a call that is under way. */
  private static final long LET_OUT_NS = TimeUnit.MILLISECONDS.toNanos(250);

  private Path folder;
  private LibrarySource source;

  @BeforeClass
  public void compile() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("odd");
    Path code = folder.resolve("odd.c");
    Path library = folder.resolve("libodd.so");
    Files.write(code, Resources.toByteArray(Resources.getResource(OddLibraryTest.class, "odd.c")));
    Process compiler =
        new ProcessBuilder(
                System.getenv().getOrDefault("CC", "gcc"),
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fPIC",
                "-shared",
                "-o",
                library.toString(),
                code.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(compiler.getInputStream().readAllBytes(), UTF_8);
    assertEquals(compiler.waitFor(), 0, said);
    source = LibrarySource.named(ImmutableList.of(library.toString()));
  }

  @AfterClass(alwaysRun = true)
  public void delete() throws IOException {
    for (String file : new String[] {"odd.c", "libodd.so"}) {
      Files.deleteIfExists(folder.resolve(file));
    }
    Files.delete(folder);
  }

  /** As oneCCL's calls on GPUs need it: the queue is the host program's own. */
  @Test(timeOut = 300_000)
  public void shouldHandOnTheNativeHandleOfAStreamThatIsNotOurs() {
    try (DialectCcl ccl = open();
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
        NativeMemory result = NativeMemory.allocate(Long.BYTES)) {
      long address = result.address();
      communicator.allReduce(
          address, address, 1, DataType.I64, ReduceOp.SUM, new ForeignStream(0x123456789AL));
      assertEquals(NativeMemory.cellAt(address).getAcquire(), 0x123456789AL);
    }
  }

  /** JNI itself would abort the process, or make other characters of them. */
  @Test(timeOut = 300_000)
  public void shouldReadAnErrorsTextThatIsNoUtf8() {
    try (DialectCcl ccl = open()) {
      VendorException refused =
          expectThrows(VendorException.class, () -> ccl.join(ccl.newUniqueId(), 0, 2));
      assertEquals(refused.rawCode(), 3);
      assertTrue(
          refused.getMessage().contains("failed: d?j? ? ???? \u00e9 ("), refused.getMessage());
    }
  }

  @Test(timeOut = 300_000)
  public void shouldAbortTheCommunicatorThatComesWithAnError() {
    try (DialectCcl ccl = open(Flag.ABORT)) {
      int before = aborts(ccl);
      assertThrows(VendorException.class, () -> ccl.join(ccl.newUniqueId(), 1, 2));
      assertEquals(aborts(ccl), before + 1);
    }
  }

  /** How many communicators the library has aborted. */
  private static int aborts(DialectCcl ccl) {
    String common = "2022.1.";
    assertTrue(ccl.version().startsWith(common), ccl.version());
    return Integer.parseInt(ccl.version().substring(common.length()));
  }

  /** The group does not begin, so nothing of it is under way that the abort would let out. */
  @Test(timeOut = 300_000)
  public void shouldAbortAtOnceAfterAGroupThatWasRefused() {
    long shortestNs = Long.MAX_VALUE;
    try (DialectCcl ccl = open(Flag.ABORT, Flag.GROUP)) {
      for (int i = 0; i < FEW; i++) { // on a busy machine one may take long
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
        assertThrows(VendorException.class, communicator::groupStart);
        long beganNs = System.nanoTime();
        communicator.abort();
        shortestNs = Math.min(shortestNs, System.nanoTime() - beganNs);
      }
    }
    assertTrue(shortestNs < LET_OUT_NS, shortestNs + " ns");
  }

  @Test(timeOut = 300_000)
  public void shouldNotAbortWhereTheVersionIsOlderThanItsFirstSoundOne() {
    CclDialect row = CclDialects.oneCclOnGpus();
    Capabilities aborts = Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of(Flag.ABORT));
    CclDialect odd = row.like("odd", source, aborts);
    for (int since : new int[] {0, 2022_01_00, 2022_02_00}) {
      try (DialectCcl ccl = DialectCcl.open(odd.abortingSince(since), OnDevice.NONE)) {
        assertEquals(ccl.capabilities().has(Flag.ABORT), since <= 2022_01_00, "since " + since);
      }
    }
  }

  @Test
  public void shouldKnowTheFirstVersionThatAbortsSoundlyOfLibrariesLikeNccl() {
    for (CclDialect row : List.of(CclDialects.nccl(), CclDialects.rccl(), EmulatedCcl.nccl())) {
      assertEquals(row.abortsSince(), 2_19_00, row.product());
    }
  }

  /** Else an abort is not declared, as its vendor does not say that it is sound. */
  @Test
  public void shouldKnowThatVersionOfEveryLibraryThatDeclaresAborts() {
    for (CclRow row : CclRow.values()) {
      CclDialect dialect = row.dialect();
      assertEquals(
          dialect.capabilities().has(Flag.ABORT), dialect.abortsSince() > 0, dialect.product());
    }
  }

  /** Members connect in groups of both, right after joining. */
  @Test
  public void shouldHaveGroupsInEveryLibraryThatSends() {
    for (CclRow row : CclRow.values()) {
      Capabilities declared = row.dialect().capabilities();
      assertTrue(
          declared.has(Flag.GROUP) || !declared.primitives().contains(Primitive.SEND),
          row.dialect().product());
    }
  }

  /** CNCL words its own codes only. */
  @Test(timeOut = 300_000)
  public void shouldNameTheRuntimeWhoseCodeItIs() {
    CclDialect row = OwnShapeDialects.cambricon();
    Capabilities nothing = Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of());
    try (DialectCcl ccl = DialectCcl.open(row.like("odd CNCL", source, nothing), OnDevice.NONE)) {
      VendorException refused =
          expectThrows(VendorException.class, () -> ccl.join(ccl.newUniqueId(), 0, 1));
      assertEquals(refused.rawCode(), 632_007);
      String said = refused.getMessage();
      assertTrue(said.contains("device runtime's cnrtGetDevice failed"), said);
      assertFalse(said.contains("CNCL's words"), said);
    }
  }

  private DialectCcl open(Flag... flags) {
    CclDialect row = CclDialects.oneCclOnGpus();
    Capabilities declared =
        Capabilities.of(
            Set.of(Primitive.ALL_REDUCE),
            Set.of(DataType.I64),
            Set.of(ReduceOp.SUM),
            Set.of(flags));
    return DialectCcl.open(row.like("odd", source, declared), OnDevice.NONE);
  }

  /** A stream that somebody else has made, and of which there is only the handle. */
  private record ForeignStream(long nativeHandle) implements Stream {
    @Override
    public void waitFor(Event event) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void launchHostFunction(Runnable function) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isIdle() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
