// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class LayoutSpecTest {
  private static final long[] NO_SHAPE = {};

  @DataProvider
  public Object[][] layouts() {
    return new Object[][] {
      {"5", "[0:5]"},
      {"5/R:2", "[0:5] [0:5]"},
      {"5/S0:2", "[0:3] [3:5]"}, // as torch.chunk: the last may be short
      {"5/S0:4", "[0:2] [2:4] [4:5] [5:5]"}, // … or empty
      {"5/S0:1+0+4", "[0:1] [1:1] [1:5]"},
      {"4x4/S0:2,S1:2", "[0:2, 0:2] [0:2, 2:4] [2:4, 0:2] [2:4, 2:4]"},
      {"4x4/R:2,S1:2", "[0:4, 0:2] [0:4, 2:4] [0:4, 0:2] [0:4, 2:4]"},
      {"8/S0:2,S0:2", "[0:2] [2:4] [4:6] [6:8]"},
      {"8/SS0:2,S0:2", "[0:2] [4:6] [2:4] [6:8]"}, // the axis on the right cuts first
      {"8/SS0:2,SS0:2,S0:2", "[0:1] [4:5] [2:3] [6:7] [1:2] [5:6] [3:4] [7:8]"},
    };
  }

  @Test(dataProvider = "layouts")
  public void shouldSpreadATensorAsDTensorDoes(String spec, String boxes) {
    assertEquals(boxes(LayoutSpec.parse(spec).layout(NO_SHAPE, false)), boxes);
  }

  private static String boxes(TensorLayout layout) {
    return String.join(" ", layout.shards().stream().map(shard -> shard.box().toString()).toList());
  }

  @Test
  public void shouldTakeTheShapeOfTheOtherLayoutIfItHasNone() {
    LayoutSpec spec = LayoutSpec.parse("/S0:2");
    assertEquals(boxes(spec.layout(new long[] {4}, false)), "[0:2] [2:4]");
  }

  @Test
  public void shouldPlaceRanksOnTheHostsOfTheirVendor() {
    List<Place> places =
        LayoutSpec.parse("8/S0:4@2xnvidia+1").layout(NO_SHAPE, false).shards().stream()
            .map(Shard::place)
            .toList();
    assertEquals(places.get(0), new Place("nvidia process 1", "nvidia host 0", "nvidia"));
    assertEquals(places.get(1), new Place("nvidia process 2", "nvidia host 1", "nvidia"));
    assertEquals(places.get(3).host(), "nvidia host 2");
    TensorLayout together = LayoutSpec.parse("8@amd").layout(NO_SHAPE, true);
    assertEquals(together.shards().get(0).place().host(), "this host");
  }

  @DataProvider
  public Object[][] wrong() {
    return new Object[][] {
      {"", "for example 4096x1024/"},
      {"4x/S0:2", "4x/S0:2"},
      {"4/S0", "'S0' in '4/S0'"},
      {"4/S0:0", "'S0:0'"},
      {"4/R:2,", "''"},
      {"4/X:2", "'X:2'"},
      {"4@", "4@"},
      {"4@0xamd", "0xamd"},
      {"4/S1:2", "no dimension 1"},
      {"4/S0:1+2", "parts of 3 in all for a length of 4"},
      {"4/R:1000,R:1000,R:1000,R:1000", "ranks"},
      {"999999999999999999x999999999999999999", "overflow"},
    };
  }

  @Test(dataProvider = "wrong")
  public void shouldSayWhatIsWrongWithASpecification(String spec, String words) {
    UsageException refused =
        expectThrows(UsageException.class, () -> LayoutSpec.parse(spec).layout(NO_SHAPE, false));
    assertTrue(refused.getMessage().contains(words), refused.getMessage());
  }
}
