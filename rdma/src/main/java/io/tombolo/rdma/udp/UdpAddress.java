// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import com.google.common.net.InetAddresses;
import com.google.common.primitives.Longs;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where a process receives, in the words of {@link PacketSlots}: the 16 bytes of the address as two
 * little-endian numbers, IPv4 mapped into IPv6 (RFC 4291 §2.5.5.2).
 *
 * @param ipLow bytes 0 to 7
 * @param ipHigh bytes 8 to 15
 * @param port as a number
 * @param scope of a link-local address, else 0
 */
record UdpAddress(long ipLow, long ipHigh, int port, int scope) {
  private static final int IP_BYTES = 16;
  private static final int MAPPED_AT = 10;
  private static final int MAPPED = 0xffff_0000;

  static UdpAddress of(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    ByteBuffer bytes = ByteBuffer.wrap(mapped(ip)).order(ByteOrder.LITTLE_ENDIAN);
    int scope = ip instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    return new UdpAddress(bytes.getLong(), bytes.getLong(), address.getPort(), scope);
  }

  /** The 16 bytes of {@code ip}. */
  static byte[] mapped(InetAddress ip) {
    if (!(ip instanceof Inet4Address)) {
      return ip.getAddress();
    }
    byte[] bytes = new byte[IP_BYTES];
    bytes[MAPPED_AT] = (byte) 0xff;
    bytes[MAPPED_AT + 1] = (byte) 0xff;
    System.arraycopy(ip.getAddress(), 0, bytes, MAPPED_AT + 2, 4);
    return bytes;
  }

  /** Whether it is an IPv4 address. */
  boolean isV4() {
    return ipLow == 0 && (int) ipHigh == MAPPED;
  }

  /** The bytes that tell this address from others. */
  byte[] toBytes() {
    return ByteBuffer.allocate(2 * Longs.BYTES + 2 * Integer.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(ipLow)
        .putLong(ipHigh)
        .putInt(port)
        .putInt(scope)
        .array();
  }

  @Override
  public String toString() {
    byte[] ip = new byte[IP_BYTES];
    ByteBuffer.wrap(ip).order(ByteOrder.LITTLE_ENDIAN).putLong(ipLow).putLong(ipHigh);
    try {
      return InetAddresses.toUriString(InetAddress.getByAddress(ip)) + ":" + port;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }
}
