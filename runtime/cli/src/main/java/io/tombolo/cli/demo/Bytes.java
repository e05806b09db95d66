// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

/**
 * Bytes that the gradients took.
 *
 * @param inside handed to the vendors' libraries, inside clusters
 * @param between sent to other clusters
 */
record Bytes(long inside, long between) {
  static final Bytes NONE = new Bytes(0, 0);

  Bytes plus(Bytes other) {
    return new Bytes(inside + other.inside, between + other.between);
  }

  Bytes minus(Bytes other) {
    return new Bytes(inside - other.inside, between - other.between);
  }

  Bytes times(int factor) {
    return new Bytes(inside * factor, between * factor);
  }
}
