// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.io.BaseEncoding;
import io.tombolo.base.errors.UsageException;
import java.nio.charset.StandardCharsets;
import org.testng.annotations.Test;

public class JobTokenTest {
  private static final JobToken TOKEN = JobToken.parse("0b".repeat(32));
  private static final byte[] CLIENT = "client nonce".getBytes(StandardCharsets.UTF_8);
  private static final byte[] SERVER = "server nonce".getBytes(StandardCharsets.UTF_8);

  /** HMAC-SHA-256 of "roleclient nonceserver nonce", by Python's hmac module. */
  private static final String PROOF =
      "16b1cfb65f5acfa47e2e365f7b87dc72a30ebb886c34fa0b0fad46f5ca2a7b28";

  @Test
  public void shouldProveWhatAnIndependentImplementationProves() {
    assertEquals(
        BaseEncoding.base16().lowerCase().encode(TOKEN.proof("role", CLIENT, SERVER)), PROOF);
  }

  @Test
  public void shouldAcceptOnlyTheProofOfThisTokenRoleAndNonces() {
    byte[] proof = TOKEN.proof("role", CLIENT, SERVER);
    assertTrue(TOKEN.accepts(proof, "role", CLIENT, SERVER));
    assertFalse(TOKEN.accepts(proof, "other", CLIENT, SERVER));
    assertFalse(TOKEN.accepts(proof, "role", SERVER, CLIENT));
    assertFalse(JobToken.random().accepts(proof, "role", CLIENT, SERVER));
    assertFalse(TOKEN.accepts(new byte[JobToken.SIZE_BYTES], "role", CLIENT, SERVER));
  }

  @Test
  public void shouldBindASealToItsKey() {
    byte[] value = {1, 2, 3};
    assertNotEquals(TOKEN.seal("a", value), TOKEN.seal("b", value));
    assertNotEquals(TOKEN.seal("ab", new byte[] {'c'}), TOKEN.seal("a", new byte[] {'b', 'c'}));
  }

  @Test
  public void shouldTravelAsHexadecimalDigitsAndNeverShowItself() {
    JobToken token = JobToken.random();
    assertEquals(JobToken.parse(token.hex()).hex(), token.hex());
    assertFalse(token.toString().contains(token.hex().substring(0, 8)));
    assertThrows(UsageException.class, () -> JobToken.parse("0b"));
    assertThrows(UsageException.class, () -> JobToken.parse("zz".repeat(32)));
  }
}
