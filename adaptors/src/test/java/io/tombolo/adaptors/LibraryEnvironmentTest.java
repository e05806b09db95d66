// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.ccl.CclDialect;
import io.tombolo.adaptors.ccl.CclDialects;
import io.tombolo.adaptors.ccl.LibrarySource;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.adaptors.device.DeviceSource;
import io.tombolo.adaptors.vendor.DialectVendor;
import io.tombolo.base.HostId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/** What a library in C finds in its environment, told by one that looks while it is opened. */
public class LibraryEnvironmentTest {
  private static final String PROBE =
      """
      #include <jni.h>
      #include <stdio.h>
      #include <stdlib.h>

      static char seen[256];

      __attribute__((constructor)) static void look(void) {
        const char* fixed = getenv("TOMBOLO_PROBE_FIXED");
        const char* preset = getenv("TOMBOLO_PROBE_PRESET");
        (void)snprintf(seen, sizeof seen, "%s, %s", fixed == NULL ? "nothing" : fixed,
                       preset == NULL ? "nothing" : preset);
      }

      JNIEXPORT jstring JNICALL Java_io_tombolo_adaptors_LibraryEnvironmentTest_seen(JNIEnv* env, jclass type) {
        (void)type;
        return (*env)->NewStringUTF(env, seen);
      }
      """;

  /** What the probe found when it was opened. */
  private static native String seen();

  @Test(timeOut = 300_000)
  public void shouldExportBeforeTheFirstLibraryOfAVendorIsOpened() throws Exception {
    Path probe = compiled();
    LibraryEnvironment environment =
        new LibraryEnvironment(
            ImmutableMap.of("TOMBOLO_PROBE_FIXED", "a=b c"),
            ImmutableMap.of("TOMBOLO_PROBE_PRESET", "second"));
    ImmutableList<String> libraries = ImmutableList.of(probe.toString());
    CclDialect nccl = CclDialects.nccl();
    Vendor vendor =
        new DialectVendor(
            "probe",
            Vendor.Provenance.OWN,
            DeviceSource.of(() -> DeviceDialects.CUDA.withLibraries(libraries)),
            "never",
            () ->
                nccl.like(
                    "the probe",
                    new LibrarySource(libraries, ImmutableList.of(), environment),
                    nccl.capabilities()));
    assertFalse(vendor.availability().isAvailable(), "it has none of a runtime's functions");
    System.load(probe.toString());
    assertEquals(seen(), "a=b c, second");
  }

  @Test(timeOut = 300_000)
  public void shouldKeepWhatTheUserHasSetUnlessTheLibraryCannotLiveWithIt() {
    LibraryEnvironment environment =
        new LibraryEnvironment(ImmutableMap.of("A", "1"), ImmutableMap.of("B", "2", "C", "3"));
    assertEquals(
        environment.changes(Set.of("A", "B")::contains), ImmutableMap.of("A", "1", "C", "3"));
  }

  @Test(timeOut = 300_000)
  public void shouldLetNcclAgreeAboutHostsConnectAndHaveQueuesUnlessTheUserSaysOtherwise() {
    LibraryEnvironment nccl = CclDialects.nccl().source().environment();
    assertEquals(
        nccl.changes(name -> false),
        Map.of(
            "NCCL_HOSTID",
            HostId.local(),
            "NCCL_RUNTIME_CONNECT",
            "0",
            "CUDA_DEVICE_MAX_CONNECTIONS",
            "32"));
    assertTrue(nccl.changes(name -> true).isEmpty());
  }

  @Test(timeOut = 300_000)
  public void shouldLetRcclDoSoToo() {
    LibraryEnvironment rccl = CclDialects.rccl().source().environment();
    assertEquals(
        rccl.changes(name -> false),
        Map.of(
            "NCCL_HOSTID", HostId.local(), "NCCL_RUNTIME_CONNECT", "0", "GPU_MAX_HW_QUEUES", "8"));
    assertTrue(rccl.changes(name -> true).isEmpty());
  }

  private static Path compiled() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("probe");
    Path source = Files.writeString(folder.resolve("probe.c"), PROBE);
    Path library = folder.resolve("libprobe.so");
    String jdk = System.getProperty("java.home") + "/include";
    List<String> command =
        List.of(
            System.getenv().getOrDefault("CC", "gcc"),
            "-Wall",
            "-Werror",
            "-shared",
            "-fPIC",
            "-I" + jdk,
            "-I" + jdk + "/linux",
            "-o",
            library.toString(),
            source.toString());
    Process compiler = new ProcessBuilder(command).inheritIO().start();
    assertTrue(compiler.waitFor(60, TimeUnit.SECONDS), "the compiler hangs");
    assertEquals(compiler.exitValue(), 0, String.join(" ", command));
    return library;
  }
}
