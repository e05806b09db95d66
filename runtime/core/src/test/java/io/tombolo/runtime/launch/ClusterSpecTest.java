// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class ClusterSpecTest {

  @Test
  public void shouldPutClusterAfterClusterWhenNoOrderIsGiven() {
    ClusterSpec spec = ClusterSpec.parse("emu-nvidia:2, emu-amd:1");
    assertEquals(spec.vendors(), List.of("emu-nvidia", "emu-nvidia", "emu-amd"));
    assertEquals(spec.size(), 3);
    assertEquals(spec.toString(), "emu-nvidia:2,emu-amd:1");
  }

  @Test
  public void shouldImagineMoreRanksThanALauncherStarts() {
    assertEquals(ClusterSpec.imagined("a:6000,b:4000").size(), 10_000);
    UsageException e =
        expectThrows(UsageException.class, () -> ClusterSpec.imagined("a:60000,b:40001"));
    assertTrue(e.getMessage().contains("at most 100000"), e.getMessage());
  }

  @Test
  public void shouldFollowTheOrderWhenOneIsGiven() {
    ClusterSpec spec = ClusterSpec.parse("a:2,b:1", "a,b,a");
    assertEquals(spec.vendors(), List.of("a", "b", "a"));
  }

  @Test
  public void shouldTakeTheClustersFromTheOrderWhenNoneAreNamed() {
    assertEquals(options(null, "b,a,b").clusterSpec().vendors(), List.of("b", "a", "b"));
    assertEquals(options(null, "b,a,b").clusterSpec().toString(), "b:2,a:1");
    assertEquals(options(null, null).clusterSpec().toString(), JobOptions.USUAL_CLUSTERS);
    assertTrue(
        expectThrows(UsageException.class, () -> options(null, "a,,b").clusterSpec())
            .getMessage()
            .contains("':1'"));
  }

  private static JobOptions options(String clusters, String order) {
    return new JobOptions(clusters, order, "auto", 10, 0, Optional.empty());
  }

  @DataProvider
  Object[][] wrong() {
    return new Object[][] {
      {"foo:0", "give foo 0 ranks"},
      {"foo:-1", "'foo:-1'"},
      {"foo", "'foo'"},
      {"", "''"},
      {"foo:2,", "''"},
      {"foo:two", "'foo:two'"},
      {"foo:99999999999", "'foo:99999999999'"},
      {"foo:1025", "at most 1024"},
      {"foo:1000,bar:25", "at most 1024"},
      {"Foo:1", "'Foo:1'"},
      {"foo:1,foo:2", "name foo twice"},
    };
  }

  @Test(dataProvider = "wrong")
  public void shouldSayWhatIsWrongWithTheClusters(String clusters, String part) {
    UsageException e = expectThrows(UsageException.class, () -> ClusterSpec.parse(clusters));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @DataProvider
  Object[][] wrongOrders() {
    return new Object[][] {
      {"a,b", "1 ranks of 'a'"},
      {"a,a,b,b", "2 ranks of 'b'"},
      {"a,a,b,c", "1 ranks of 'c'"},
      {"a,a", "0 ranks of 'b'"},
      {"a,a,b,", "1 ranks of ''"},
    };
  }

  @Test(dataProvider = "wrongOrders")
  public void shouldSayWhichVendorsCountDiffersWhenTheOrderIsWrong(String order, String part) {
    UsageException e =
        expectThrows(UsageException.class, () -> ClusterSpec.parse("a:2,b:1", order));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
