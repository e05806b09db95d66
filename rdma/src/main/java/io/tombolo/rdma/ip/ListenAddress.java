// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ip;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.net.InetAddresses;
import io.tombolo.base.HostId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where a process listens: {@code "<host id> <port> <address> <address> …"} in ASCII, addresses as
 * numbers.
 *
 * @param hostId the host, as {@link HostId} names it
 * @param port the port
 * @param hosts its addresses, to be tried in this order
 */
public record ListenAddress(String hostId, int port, ImmutableList<InetAddress> hosts) {
  private static final int MAX_HOSTS = 16;
  private static final int MAX_BYTES = 1024;

  /**
   * The address of a listener bound to {@code bound}: for the wildcard, those of all this host's
   * interfaces.
   */
  public static ListenAddress of(InetSocketAddress bound) throws SocketException {
    ImmutableList<InetAddress> hosts =
        bound.getAddress().isAnyLocalAddress()
            ? interfaces()
            : ImmutableList.of(bound.getAddress());
    return new ListenAddress(HostId.local(), bound.getPort(), hosts);
  }

  private static ImmutableList<InetAddress> interfaces() throws SocketException {
    List<InetAddress> found =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(host -> !host.isLoopbackAddress() && !host.isLinkLocalAddress())
            .sorted(java.util.Comparator.comparing(InetAddresses::toAddrString))
            .limit(MAX_HOSTS)
            .toList();
    return found.isEmpty()
        ? ImmutableList.of(InetAddress.getLoopbackAddress())
        : ImmutableList.copyOf(found);
  }

  /** As published. */
  public byte[] encode() {
    String names = hosts.stream().map(InetAddresses::toAddrString).collect(Collectors.joining(" "));
    return (hostId + " " + port + " " + names).getBytes(StandardCharsets.US_ASCII);
  }

  /** The address in {@code bytes}, if they are one. Looks no name up. */
  public static Optional<ListenAddress> decode(byte[] bytes) {
    List<String> words =
        bytes.length > MAX_BYTES
            ? List.of()
            : Splitter.on(' ').splitToList(new String(bytes, StandardCharsets.US_ASCII));
    boolean valid =
        words.size() >= 3
            && words.size() <= 2 + MAX_HOSTS
            && words.get(0).matches("[0-9a-f]{16}")
            && words.get(1).matches("[1-9][0-9]{0,4}")
            && Integer.parseInt(words.get(1)) <= 0xffff
            && words.stream().skip(2).allMatch(InetAddresses::isInetAddress);
    return valid
        ? Optional.of(
            new ListenAddress(
                words.get(0),
                Integer.parseInt(words.get(1)),
                words.stream()
                    .skip(2)
                    .map(InetAddresses::forString)
                    .collect(ImmutableList.toImmutableList())))
        : Optional.empty();
  }

  /**
   * The addresses that mean the same host seen from {@code here}: a loopback address does only
   * there.
   */
  public ImmutableList<InetSocketAddress> seenFrom(String here) {
    return hosts.stream()
        .filter(host -> !host.isLoopbackAddress() || hostId.equals(here))
        .map(host -> new InetSocketAddress(host, port))
        .collect(ImmutableList.toImmutableList());
  }
}
