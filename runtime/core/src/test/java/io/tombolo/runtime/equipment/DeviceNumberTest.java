// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.errors.UsageException;
import org.testng.annotations.Test;

public final class DeviceNumberTest {
  private static final int HOST_ONLY = 0;

  private static String refusal(int number, int count, String vendor) {
    Vendor named = Vendors.named(vendor);
    return expectThrows(UsageException.class, () -> DeviceNumber.check(number, count, named))
        .getMessage();
  }

  @Test
  public void shouldAcceptDevicesThatAreThereAndAnyNumberForTheHost() {
    DeviceNumber.check(0, 1, Vendors.named("nvidia"));
    DeviceNumber.check(7, 8, Vendors.named("nvidia"));
    DeviceNumber.check(3, HOST_ONLY, Vendors.named("host"));
  }

  @Test
  public void shouldSayWhatNcclNeedsWhereRanksShareADevice() {
    assertEquals(
        refusal(1, 1, "nvidia"),
        "no device 1: of 'nvidia' this process sees device 0 only; start fewer ranks of it on this"
            + " host, or let them share: TOMBOLO_DEVICE=0, and for each an NCCL_HOSTID of its own"
            + " ('Ranks that share a device' in docs/using-it.md)");
  }

  @Test
  public void shouldNotAskForWhatTheVendorsLibraryDoesNotRead() {
    assertEquals(
        refusal(2, 2, "gaudi"),
        "no device 2: of 'gaudi' this process sees devices 0 to 1 only; start fewer ranks of it on"
            + " this host, or let them share: TOMBOLO_DEVICE=0");
  }
}
