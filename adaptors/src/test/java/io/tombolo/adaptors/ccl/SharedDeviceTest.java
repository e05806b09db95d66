// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public final class SharedDeviceTest {
  @Test
  public void shouldSayWhatToDoWhenTheLibraryRefusesASharedDevice() {
    assertEquals(
        SharedDevice.advice(
            "invalid usage; Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 6000"),
        "; give each rank a device of its own, or, to share this one, an NCCL_HOSTID of its own"
            + " ('Ranks that share a device' in docs/using-it.md)");
  }

  @Test
  public void shouldAddNothingToWhatElseTheLibrarySays() {
    assertEquals(SharedDevice.advice("unhandled system error"), "");
  }
}
