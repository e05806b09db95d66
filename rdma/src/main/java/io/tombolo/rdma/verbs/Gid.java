// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * An address of a port: 16 bytes, an IPv6 address on RoCE v2, or an IPv4 one as {@code
 * ::ffff:a.b.c.d}.
 *
 * @param index its place in the port's table
 * @param type what packets under it look like
 * @param hex its bytes
 */
record Gid(int index, Type type, String hex) {
  static final int SIZE_BYTES = 16;

  private static final String IPV4_PREFIX = "00000000000000000000ffff";
  private static final String LINK_LOCAL_PREFIX = "fe80";
  private static final int UNKNOWN_TYPE = 255;

  /** Numbered as the library numbers them. */
  enum Type {
    INFINIBAND(0),
    ROCE_V1(1),
    ROCE_V2(2);

    private final int number;

    Type(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  /** The GID with these bytes, unless the entry is unset or of a type from the future. */
  static Optional<Gid> of(int index, int type, byte[] bytes) {
    boolean unset = Arrays.equals(bytes, new byte[SIZE_BYTES]);
    String hex = HexFormat.of().formatHex(bytes);
    return unset ? Optional.empty() : type(type, hex).map(known -> new Gid(index, known, hex));
  }

  /** An old library does not tell the type: only RoCE v2 has IPv4. */
  private static Optional<Type> type(int number, String hex) {
    return switch (number) {
      case 0 -> Optional.of(Type.INFINIBAND);
      case 1 -> Optional.of(Type.ROCE_V1);
      case 2 -> Optional.of(Type.ROCE_V2);
      case UNKNOWN_TYPE ->
          Optional.of(hex.startsWith(IPV4_PREFIX) ? Type.ROCE_V2 : Type.INFINIBAND);
      default -> Optional.empty();
    };
  }

  boolean isIpv4() {
    return hex.startsWith(IPV4_PREFIX);
  }

  boolean isLinkLocal() {
    return hex.startsWith(LINK_LOCAL_PREFIX);
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  /** The first half: the subnet on InfiniBand. */
  String prefix() {
    return hex.substring(0, SIZE_BYTES);
  }

  /** As addresses are written: eight groups, or four numbers for IPv4. */
  @Override
  public String toString() {
    if (isIpv4()) {
      byte[] raw = bytes();
      ImmutableIntArray.Builder numbers = ImmutableIntArray.builder();
      for (int i = SIZE_BYTES - 4; i < SIZE_BYTES; i++) {
        numbers.add(Byte.toUnsignedInt(raw[i]));
      }
      return String.join(".", numbers.build().asList().stream().map(String::valueOf).toList());
    }
    return hex.replaceAll("(.{4})(?!$)", "$1:");
  }
}
