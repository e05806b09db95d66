// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import org.testng.annotations.Test;

public class VendorsTest {

  @Test
  public void shouldSayHowVendorsGetOnTheClassPathWhereThereIsNone() {
    UsageException error =
        expectThrows(UsageException.class, () -> Vendors.named("acme", List.of()));
    assertTrue(error.getMessage().contains("nobody knows the vendor 'acme'"), error.getMessage());
    assertTrue(error.getMessage().contains("ServicesResourceTransformer"), error.getMessage());
  }

  @Test
  public void shouldNameTheChoicesWhereThereAreSome() {
    UsageException error = expectThrows(UsageException.class, () -> Vendors.named("nvida"));
    assertTrue(error.getMessage().contains("known here: "), error.getMessage());
    assertTrue(error.getMessage().contains("META-INF/services"), error.getMessage());
  }
}
