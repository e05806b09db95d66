// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of a device that a process uses: the device is open, with a protection domain.
 *
 * <p>Of several GIDs, RoCE v2 comes before v1 (it crosses routers, and its source port chooses the
 * path), IPv4 before IPv6, and what reaches beyond the link before what does not.
 */
final class NicPort implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NicPort.class);

  private final VerbsDevice device;
  private final DeviceAttributes attributes;
  private final int port;
  private final PortAttributes portAttributes;
  private final Gid gid;
  private final TravelSettings travel;
  private final ProtectionDomain domain;
  private final NicEvents events;
  private final Resolver resolver = new Resolver();
  private final boolean hasWindows;
  private Optional<Runnable> late = Optional.empty();

  private NicPort(
      VerbsDevice device, int port, PortAttributes portAttributes, VerbsSettings settings) {
    this.device = device;
    this.attributes = device.attributes();
    this.port = port;
    this.portAttributes = portAttributes;
    this.gid = chooseGid(device, port, settings);
    this.travel = settings.travel();
    this.domain = device.protectionDomain();
    this.events = new NicEvents(device, port, gid);
    this.hasWindows = attributes.saysWindows() && makesWindows();
  }

  /**
   * Opens the device that {@code settings} name, or the first one that can be used; an EFA only if
   * there is nothing else, as no real one was ever tried.
   *
   * @throws UnavailableException if there is none, with what is wrong with each
   */
  static NicPort open(VerbsSettings settings) {
    VerbsLibrary library = VerbsLibrary.open(settings.library());
    ImmutableList<String> candidates = candidates(library, settings);
    if (candidates.size() == 1) {
      return open(library, candidates.get(0), settings);
    }
    List<String> passedOver = new ArrayList<>();
    List<String> efas = new ArrayList<>();
    for (String name : candidates) {
      Optional<NicPort> nic = tried(library, name, settings, passedOver);
      if (nic.isPresent() && !nic.get().isEfa()) {
        return nic.get();
      }
      nic.ifPresent(
          efa -> {
            efa.close();
            efas.add(name);
          });
    }
    for (String name : efas) {
      Optional<NicPort> nic = tried(library, name, settings, passedOver);
      if (nic.isPresent()) {
        return nic.get();
      }
    }
    throw new UnavailableException(
        "no RDMA device to use: "
            + String.join(", ", passedOver)
            + "; bring a port up (ibv_devinfo shows their states)");
  }

  private static Optional<NicPort> tried(
      VerbsLibrary library, String name, VerbsSettings settings, List<String> passedOver) {
    try {
      return Optional.of(open(library, name, settings));
    } catch (TomboloException e) {
      log.debug("RDMA device {} is passed over: {}", name, e.getMessage());
      passedOver.add(e.getMessage().split("; ", 2)[0]);
      return Optional.empty();
    }
  }

  /**
   * Opens the device {@code name}, if its port is on a network of this one's kind.
   *
   * @throws UnavailableException if it has no port that can be used
   */
  Optional<NicPort> openBeside(String name, VerbsSettings settings) {
    NicPort port = open(settings.withDevice(name));
    if (port.portAttributes.link() == portAttributes.link()) {
      return Optional.of(port);
    }
    port.close();
    return Optional.empty();
  }

  /** The other devices that {@code settings} allow, in order of preference. */
  ImmutableList<String> others(VerbsSettings settings) {
    return candidates(VerbsLibrary.open(settings.library()), settings).stream()
        .filter(name -> !name.equals(device.name()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> candidates(VerbsLibrary library, VerbsSettings settings) {
    ImmutableList<String> names = library.deviceNames();
    if (names.isEmpty()) {
      throw new UnavailableException(
          library.name()
              + " lists no RDMA device; is one in /sys/class/infiniband, and its driver loaded?");
    }
    String wanted = settings.device();
    if (wanted.isEmpty()) {
      return Stream.concat(settings.near().stream().filter(names::contains), names.stream())
          .distinct()
          .collect(ImmutableList.toImmutableList());
    }
    if (!names.contains(wanted)) {
      throw new UnavailableException(
          "there is no RDMA device "
              + wanted
              + "; choose among "
              + String.join(", ", names)
              + " with the setting rdma_device");
    }
    return ImmutableList.of(wanted);
  }

  private static NicPort open(VerbsLibrary library, String name, VerbsSettings settings) {
    try (CloseStack stack = new CloseStack()) {
      NicPort nic = onActivePort(stack.opened(library.device(name)), settings);
      stack.keep();
      return nic;
    }
  }

  private static NicPort onActivePort(VerbsDevice device, VerbsSettings settings) {
    DeviceAttributes attributes = device.attributes();
    if (attributes.isIwarp()) {
      throw new UnavailableException(
          device.name()
              + " speaks iWARP, which has reliable connections alone, made by rdma_cm, and none that"
              + " rc, uc or ud could use; use udp or tcp over its network interface");
    }
    List<Link> foreign = new ArrayList<>();
    for (int port = 1; port <= attributes.ports(); port++) {
      PortAttributes found = device.port(port);
      if (found.active()) {
        if (attributes.speaksOver(found.link())) {
          return new NicPort(device, port, found, settings);
        }
        foreign.add(found.link());
      }
    }
    throw new UnavailableException(device.name() + noPort(attributes.transport(), foreign));
  }

  /** What is wrong with a device whose active ports are on {@code foreign} links; what helps. */
  static String noPort(int transport, List<Link> foreign) {
    return foreign.isEmpty()
        ? " has no active port; bring one up (ibv_devinfo shows their states)"
        : " speaks neither InfiniBand, RoCE nor EFA, or does not say so (transport "
            + transport
            + ", link "
            + foreign.get(0)
            + "); use ucx or tcp";
  }

  /** Drivers have the flag whose libraries lack the calls (bnxt): so one is tried. */
  private boolean makesWindows() {
    try {
      domain.window().close();
      return true;
    } catch (TomboloException e) {
      log.info("{} goes without memory windows: {}", device, e.getMessage());
      return false;
    }
  }

  private static Gid chooseGid(VerbsDevice device, int port, VerbsSettings settings) {
    Comparator<Gid> order =
        Comparator.comparing((Gid gid) -> gid.type() != Gid.Type.ROCE_V2)
            .thenComparing(gid -> !gid.isIpv4())
            .thenComparing(Gid::isLinkLocal)
            .thenComparing(Gid::index);
    return device.gids(port).stream()
        .filter(
            gid ->
                settings.gidIndex() == VerbsSettings.ANY_GID || gid.index() == settings.gidIndex())
        .min(order)
        .orElseThrow(
            () ->
                new UnavailableException(
                    "port "
                        + port
                        + " of "
                        + device.name()
                        + " has no such GID; give its interface an address, or choose another with"
                        + " the setting rdma_gid_index"));
  }

  VerbsDevice device() {
    return device;
  }

  DeviceAttributes attributes() {
    return attributes;
  }

  /** Whether memory windows of type 1 can be made, each with a key of its own. */
  boolean hasWindows() {
    return hasWindows;
  }

  ProtectionDomain domain() {
    return domain;
  }

  NicEvents events() {
    return events;
  }

  /** Who makes the calls that may take long. */
  Resolver resolver() {
    return resolver;
  }

  int port() {
    return port;
  }

  boolean isInfiniband() {
    return portAttributes.link() == Link.INFINIBAND;
  }

  /** Whether it is an EFA's, which has datagrams alone. */
  boolean isEfa() {
    return portAttributes.link() == Link.UNSPECIFIED;
  }

  /**
   * This port, if it has queue pairs that are connected.
   *
   * @param what needs them
   * @param help what to do where there are none
   * @throws UnavailableException on an EFA
   */
  NicPort connecting(String what, String help) {
    if (isEfa()) {
      throw new UnavailableException(
          this + " is an EFA's, which has no connections for " + what + "; " + help);
    }
    return this;
  }

  /**
   * Whether nothing is dropped on the way for want of room: InfiniBand's links have credits, and
   * Ethernet's may have priority flow control, which no device can vouch for along the whole way.
   */
  boolean isLossless() {
    return travel.lossless().orElse(isInfiniband());
  }

  /** Index of the partition key of its queue pairs. */
  int partition() {
    return travel.partition();
  }

  /**
   * A new queue pair. Its number may have been another one's, of which the device has said that it
   * failed: that is heard before, and does not count for this one.
   */
  QueuePair queuePair(PairType type, PairQueues queues) {
    events.progress();
    QueuePair pair = domain.queuePair(type, queues);
    events.forget(pair.number());
    return pair;
  }

  /** Whether queue pairs of {@code type} can be made on the device: it is tried. */
  boolean supports(PairType type) {
    try (CompletionEvents raised = device.events();
        CompletionQueue queue = device.completionQueue(2, raised);
        QueuePair pair = queuePair(type, new PairQueues(queue, queue, Optional.empty(), 1, 1, 0))) {
      return !pair.isClosed();
    } catch (TomboloException e) {
      return false;
    }
  }

  /** Its rate; 0 if it tells none. */
  int megabytesPerSecond() {
    return portAttributes.megabytesPerSecond();
  }

  /** What peers have to know of the port. */
  PortCard card() {
    return new PortCard(portAttributes.link(), gid, portAttributes.lid(), portAttributes.mtu());
  }

  /** The way to {@code peer}; {@code flowLabel} (20 bits) chooses among parallel paths. */
  AddressAttributes routeTo(PortCard peer, int flowLabel) {
    return new AddressAttributes(
        port,
        gid.index(),
        peer.gid(),
        peer.lid(),
        travel.serviceLevel(),
        travel.trafficClass(),
        flowLabel,
        peer.link() != Link.INFINIBAND,
        portAttributes.link() == Link.ETHERNET);
  }

  /**
   * Has {@link #close} leave the device open until what rests there has rested; {@code first} ends
   * that, and may be run again where the device refuses something.
   */
  void endLate(Runnable first) {
    late = Optional.of(first);
  }

  /** All who have had {@link #resolver} make calls have seen their end. */
  @Override
  public void close() {
    resolver.close();
    if (late.isEmpty()) {
      end();
      return;
    }
    Runnable first = late.get();
    LateEnd.of(
        "RDMA device " + device,
        () -> {
          first.run();
          end();
        });
  }

  private void end() {
    domain.close();
    device.close();
  }

  /** The device and port, as tools name them. */
  @Override
  public String toString() {
    return device + ":" + port + " (" + card() + ")";
  }
}
