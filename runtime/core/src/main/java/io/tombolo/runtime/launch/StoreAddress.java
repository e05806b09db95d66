// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableSet;
import com.google.common.net.InetAddresses;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.equipment.LocalInterface;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** At which of this host's addresses the ranks of other hosts reach the job's store. */
final class StoreAddress {
  /** Nothing is sent there: only the way is asked for. */
  private static final int DISCARD = 9;

  private StoreAddress() {}

  /**
   * The address that was said; else the one this host sends from to the first host that is not
   * itself; else, where names mean something to the launching command alone, this host's only one.
   *
   * @throws UsageException naming the option, if it is no address of this host or there are several
   */
  static InetAddress of(Placement placement) {
    return placement.storeAddress().map(StoreAddress::checked).orElseGet(() -> usual(placement));
  }

  private static InetAddress checked(String said) {
    try {
      InetAddress address = InetAddress.getByName(said);
      if (NetworkInterface.getByInetAddress(address) != null) {
        return InetAddress.getByAddress(address.getAddress());
      }
    } catch (UnknownHostException | SocketException e) {
      throw new UsageException("--store-address %s: %s".formatted(said, e.getMessage()), e);
    }
    throw new UsageException(
        "--store-address %s is no address of this host, which has %s"
            .formatted(said, text(addresses())));
  }

  private static InetAddress usual(Placement placement) {
    ImmutableSet<String> hosts = ImmutableSet.copyOf(placement.hosts());
    List<Optional<InetAddress>> ways = hosts.stream().map(StoreAddress::towards).toList();
    Optional<InetAddress> way =
        ways.stream()
            .flatMap(Optional::stream)
            .filter(from -> !from.isLoopbackAddress())
            .findFirst();
    if (way.isPresent()) {
      return way.get();
    }
    if (ways.stream().allMatch(Optional::isPresent)) {
      return ways.get(0).orElseThrow();
    }
    List<InetAddress> own = addresses();
    List<InetAddress> old = own.stream().filter(Inet4Address.class::isInstance).toList();
    List<InetAddress> candidates = old.isEmpty() ? own : old;
    if (candidates.size() == 1) {
      return candidates.get(0);
    }
    throw new UsageException(
        "no way is known to the hosts %s, and this host has %s: say by --store-address at which one they reach it"
            .formatted(String.join(", ", hosts), text(own)));
  }

  private static Optional<InetAddress> towards(String host) {
    String name = host.substring(host.indexOf('@') + 1);
    if (new InetSocketAddress(name, DISCARD).isUnresolved()) {
      return Optional.empty();
    }
    try {
      return Optional.of(LocalInterface.towards(name, DISCARD));
    } catch (UnavailableException e) {
      return Optional.empty(); // known, but no way there: as good as unknown
    }
  }

  private static List<InetAddress> addresses() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
          .toList();
    } catch (SocketException e) {
      throw new UnavailableException("cannot list this host's addresses: " + e.getMessage(), e);
    }
  }

  private static String text(List<InetAddress> addresses) {
    return addresses.isEmpty()
        ? "none but loopback"
        : addresses.stream().map(InetAddresses::toAddrString).collect(Collectors.joining(", "));
  }
}
