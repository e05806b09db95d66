// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.google.common.io.BaseEncoding;
import io.tombolo.base.errors.UsageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The secret that all processes of one job share, and the proofs made from it.
 *
 * <p>Two ends of a connection prove the token to each other without sending it: each sends a fresh
 * nonce, and each answers with the HMAC-SHA-256 over a role name and both nonces. Thread-safe.
 * {@link #toString} does not show it.
 */
public final class JobToken {
  /** Bytes of a token and of a proof. */
  public static final int SIZE_BYTES = 32;

  private final byte[] secret;

  private JobToken(byte[] secret) {
    this.secret = secret;
  }

  /** A new random token. */
  public static JobToken random() {
    return new JobToken(nonce());
  }

  /** The token written as 64 hexadecimal digits. */
  public static JobToken parse(String hex) {
    if (!hex.matches("[0-9a-fA-F]{64}")) {
      throw new UsageException(
          "a job token is 64 hexadecimal digits; got " + hex.length() + " characters");
    }
    return new JobToken(
        BaseEncoding.base16().lowerCase().decode(hex.toLowerCase(java.util.Locale.ROOT)));
  }

  /** A fresh nonce of {@link #SIZE_BYTES}. */
  public static byte[] nonce() {
    byte[] nonce = new byte[SIZE_BYTES];
    new SecureRandom().nextBytes(nonce);
    return nonce;
  }

  /** The proof that the side called {@code role} knows the token, bound to both sides' nonces. */
  public byte[] proof(String role, byte[] clientNonce, byte[] serverNonce) {
    return mac()
        .newHasher()
        .putString(role, StandardCharsets.UTF_8)
        .putBytes(clientNonce)
        .putBytes(serverNonce)
        .hash()
        .asBytes();
  }

  /**
   * Whether {@code proof} is what {@link #proof} gives; takes the same time whatever the answer.
   */
  public boolean accepts(byte[] proof, String role, byte[] clientNonce, byte[] serverNonce) {
    return MessageDigest.isEqual(proof, proof(role, clientNonce, serverNonce));
  }

  /** The authentication code of a value stored under {@code key} where others could write. */
  public byte[] seal(String key, byte[] value) {
    return mac()
        .newHasher()
        .putInt(key.length())
        .putString(key, StandardCharsets.UTF_8)
        .putBytes(value)
        .hash()
        .asBytes();
  }

  /** The token as hexadecimal digits, to hand to a child process. */
  public String hex() {
    return BaseEncoding.base16().lowerCase().encode(secret);
  }

  @Override
  public String toString() {
    return "JobToken(hidden)";
  }

  private HashFunction mac() {
    return Hashing.hmacSha256(secret);
  }
}
