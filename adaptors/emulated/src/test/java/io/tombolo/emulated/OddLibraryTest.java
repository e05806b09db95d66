package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;

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
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** A library, compiled here, that does what none is supposed to do. */
public final class OddLibraryTest {
  private Path folder;
  private LibrarySource source;

  @BeforeClass
  public void compile() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("odd");
    Path code = folder.resolve("odd_oneccl.c");
    Path library = folder.resolve("libodd_oneccl.so");
    Files.write(
        code, Resources.toByteArray(Resources.getResource(OddLibraryTest.class, "odd_oneccl.c")));
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
    for (String file : new String[] {"odd_oneccl.c", "libodd_oneccl.so"}) {
      Files.deleteIfExists(folder.resolve(file));
    }
    Files.delete(folder);
  }

  /** As oneCCL's calls on GPUs need it: the queue is the host program's own. */
  @Test
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

  private DialectCcl open(Flag... flags) {
    CclDialect row = CclDialects.oneCclOnGpus();
    Capabilities declared =
        Capabilities.of(
            Set.of(Collective.ALL_REDUCE),
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
    public boolean isIdle() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
