// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.emulated.hca.EmulatedHca;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** When a process's settings give it one-sided reads, and that those then come. */
public final class VerbsReadsTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE_BYTES = 10_000;

  private long living;

  @BeforeMethod
  public void count() {
    living = LateEnds.living();
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingBehind() {
    assertEquals(LateEnds.living(), living, "objects of the NIC");
  }

  private static VerbsReads reads(int nic, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("ibverbs", EmulatedHca.library());
    settings.putIfAbsent("rdma_device", EmulatedHca.device(nic));
    return VerbsReads.from(settings);
  }

  @DataProvider
  public Object[][] yes() {
    return new Object[][] {
      {Map.of("fabrics", "rc")},
      {Map.of("fabrics", "tcp, rc")},
      {Map.of("rdma_lossless", "yes")},
      {Map.of("rdma_lossless", "no", "fabrics", "rc")},
      {Map.of("rdma_lossless", "yes", "fabrics", "shm, ucx")},
      {Map.of("rdma_lossless", "no", "fabrics", "ucx,rc")},
    };
  }

  @Test(dataProvider = "yes", timeOut = 120_000)
  public void shouldReadWhereRcIsUsed(Map<String, String> settings) {
    try (NativeMemory held = NativeMemory.allocate(SIZE_BYTES);
        NativeMemory landing = NativeMemory.allocate(SIZE_BYTES);
        VerbsReads there = reads(0, settings);
        VerbsReads here = reads(1, settings);
        OneSidedReads.Reader reader = here.reader("a holder");
        OneSidedReads.Landing target = reader.landing(OneSidedPair.block(landing));
        OneSidedReads.Holder holder = there.holder()) {
      NativeMemory.fill(held.address(), (byte) 7, SIZE_BYTES);
      reader.connect(holder.connect(reader.card()));
      byte[] key;
      try (OneSidedReads.Exposed exposed = there.expose("w", OneSidedPair.block(held))) {
        key = exposed.key();
        target.read("w", key, 1, SIZE_BYTES - 1, Deadline.after(BUDGET));
        assertEquals(landing.get(0, SIZE_BYTES - 1), held.get(1, SIZE_BYTES - 1));
        assertEquals(landing.get(SIZE_BYTES - 1, 1), new byte[1]);
      }
      AbortedException late =
          expectThrows(
              AbortedException.class,
              () -> target.read("w", key, 0, SIZE_BYTES, Deadline.after(BUDGET)));
      assertTrue(late.getMessage().contains("of w from a holder"), late.getMessage());
      assertTrue(reader.isBroken());
      reader.close(); // before what it reads to
    }
  }

  @DataProvider
  public Object[][] no() {
    return new Object[][] {
      {Map.of("fabrics", "tcp,uc"), "neither rc nor ucx is among the fabrics tcp,uc"},
      {Map.of("fabrics", "ucx"), "TOMBOLO_RDMA_LOSSLESS=yes"},
      {Map.of("fabrics", "ucx", "rdma_device", "nobodys"), "there is no RDMA device nobodys"},
      {Map.of(), "TOMBOLO_RDMA_LOSSLESS=yes"},
      {Map.of("rdma_lossless", "no"), "TOMBOLO_FABRICS=rc"},
      {Map.of("fabrics", "rc", "rdma_device", "nobodys"), "there is no RDMA device nobodys"},
    };
  }

  /** Whatever the user vouches for, or names. */
  @DataProvider
  public Object[][] efas() {
    return new Object[][] {
      {Map.of()}, {Map.of("rdma_lossless", "yes")}, {Map.of("fabrics", "rc")},
    };
  }

  @Test(dataProvider = "efas")
  public void shouldSayThatAnEfaHasNoConnections(Map<String, String> settings) {
    EmulatedHca.set("PROFILE", "efa");
    try {
      shouldSayWhyThereAreNone(settings, "no connections for one-sided reads; name another device");
    } finally {
      EmulatedHca.set("PROFILE", "mlx5");
    }
  }

  @Test(dataProvider = "no")
  public void shouldSayWhyThereAreNone(Map<String, String> settings, String why) {
    try (VerbsReads reads = reads(0, settings)) {
      for (int asked = 0; asked < 2; asked++) {
        UnavailableException error = expectThrows(UnavailableException.class, reads::holder);
        assertTrue(error.getMessage().contains(why), error.getMessage());
      }
    }
  }

  /** What a process may lock is given back by others, and can be raised while it runs. */
  @Test
  public void shouldTryAgainWhereMemoryWasMissing() {
    try (VerbsReads reads = reads(0, Map.of("fabrics", "rc"))) {
      EmulatedHca.set("MEMLOCK_KIB", "1");
      try {
        assertThrows(ResourceException.class, reads::holder);
      } finally {
        EmulatedHca.set("MEMLOCK_KIB", "0");
      }
      reads.holder().close();
    }
  }

  @DataProvider
  public Object[][] asked() {
    return new Object[][] {
      {Map.of("fabrics", "tcp,rc"), true},
      {Map.of("rdma_device", "nobodys"), true},
      {Map.of("fabrics", "ucx", "rdma_device", "nobodys"), true},
      {Map.of("fabrics", "ucx"), false},
      {Map.of("fabrics", "tcp", "rdma_device", "nobodys"), false},
      {Map.of(), false},
    };
  }

  @Test(dataProvider = "asked")
  public void shouldTellWhetherTheUserCounts(Map<String, String> settings, boolean isAskedFor) {
    try (VerbsReads reads = VerbsReads.from(settings)) {
      assertEquals(reads.isAskedFor(), isAskedFor);
    }
  }

  @Test
  public void shouldRefuseSettingsThatMakeNoSense() {
    assertThrows(UsageException.class, () -> reads(0, Map.of("rdma_gid_index", "many")));
  }
}
