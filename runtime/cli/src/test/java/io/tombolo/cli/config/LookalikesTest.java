// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.config;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.Test;

public final class LookalikesTest {
  @Test
  public void shouldFindWhatWasMeant() {
    assertEquals(Lookalikes.of("TOMBOLO_FABRIC"), "; did you mean TOMBOLO_FABRICS?");
    assertEquals(Lookalikes.of("SEGMENTBYTES"), "; did you mean TOMBOLO_SEGMENT_BYTES?");
    assertEquals(Lookalikes.of("TOMBOLO_TIMEOUT"), "; did you mean TOMBOLO_TIMEOUT_MS?");
  }
}
