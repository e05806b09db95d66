// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class ByteSizesTest {

  @DataProvider
  Object[][] sizes() {
    return new Object[][] {
      {"8", 8L},
      {"8B", 8L},
      {"3K", 3L << 10},
      {"64M", 64L << 20},
      {"2g", 2L << 30},
      {"512KiB", 512L << 10},
      {"512 KiB", 512L << 10},
      {"1.5M", 3L << 19},
      {"1.0009k", 1024L},
      {"16MB", 16_000_000L},
      {"8kB", 8_000L},
      {"2GB", 2_000_000_000L},
      {"1GiB", 1L << 30},
      {"999999999999K", 999_999_999_999L << 10},
    };
  }

  @Test(dataProvider = "sizes")
  public void shouldReadSizesAsPeopleWriteThem(String text, long bytes) {
    assertEquals(ByteSizes.parse(text), bytes);
  }

  @DataProvider
  Object[][] noSizes() {
    return new Object[][] {
      {""},
      {"K"},
      {"-1"},
      {"1T"},
      {"1KM"},
      {"8Kbit"},
      {"1e3"},
      {"99999999999999"},
      {"1,5M"},
      {"999999999999G"}
    };
  }

  @Test(dataProvider = "noSizes")
  public void shouldRefuseWhatIsNoSize(String text) {
    UsageException error = expectThrows(UsageException.class, () -> ByteSizes.parse(text));
    assertEquals(error.getMessage().contains("got '" + text + "'"), true, error.getMessage());
  }
}
