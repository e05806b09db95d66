// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.UsageException;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.Test;

/** What a user may say of RDMA, and what is said where there is none. */
public final class VerbsSettingsTest {
  @Test
  public void shouldReadEverySetting() {
    VerbsSettings settings =
        VerbsSettings.from(
            Map.of(
                "ibverbs", "/x/lib.so",
                "rdma_device", "mlx5_1",
                "rdma_near", "mlx5_0",
                "rdma_gid_index", "3",
                "rdma_service_level", "5",
                "rdma_traffic_class", "104",
                "rdma_pkey_index", "7",
                "rdma_lossless", "yes",
                "rdma_rails", "4",
                "rdma_paths", "2"));
    TravelSettings travel = new TravelSettings(5, 104, 7, Optional.of(true));
    assertEquals(
        settings,
        new VerbsSettings(
            "/x/lib.so", "mlx5_1", ImmutableList.of("mlx5_0"), 3, travel, 4, 2, Optional.empty()));
    assertEquals(VerbsSettings.from(Map.of()), VerbsSettings.defaults());
  }

  @Test
  public void shouldNameTheSettingWhenItsNumberMakesNoSense() {
    for (String text : new String[] {"16", "-1", "x"}) {
      UsageException error =
          expectThrows(
              UsageException.class, () -> VerbsSettings.from(Map.of("rdma_service_level", text)));
      assertTrue(error.getMessage().contains("rdma_service_level"), error.getMessage());
    }
  }

  @Test
  public void shouldTakeOnlyYesAndNoForAnswers() {
    UsageException error =
        expectThrows(
            UsageException.class, () -> VerbsSettings.from(Map.of("rdma_lossless", "maybe")));
    assertTrue(error.getMessage().contains("not 'maybe'"), error.getMessage());
  }

  @Test
  public void shouldSayWhyWhenTheLibraryIsMissing() {
    Availability availability = VerbsFabrics.availability(library("libtombolo-none.so.1"));
    assertTrue(
        availability instanceof Availability.Missing missing
            && missing.cause().contains("libtombolo-none.so.1")
            && missing.fix().contains("install libibverbs"),
        availability.toString());
  }

  @Test
  public void shouldSayWhatIsMissingWhenTheLibraryIsAnother() {
    Availability availability = VerbsFabrics.availability(library("libc.so.6"));
    assertTrue(
        availability instanceof Availability.Missing missing
            && missing.cause().contains("libc.so.6 has no ibv_get_device_list"),
        availability.toString());
  }

  private static VerbsSettings library(String name) {
    return VerbsSettings.from(Map.of("ibverbs", name));
  }
}
