// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Availability;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.TrialMedium;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the fabrics over RDMA devices. Whoever opens one closes it. */
public final class VerbsFabrics {
  private static final Logger log = LoggerFactory.getLogger(VerbsFabrics.class);

  private static final String INSTEAD = "use ud";

  private VerbsFabrics() {}

  /** Whether an RDMA device can be used, and which; else why not. */
  public static Availability availability(VerbsSettings verbs) {
    return availability(verbs, nic -> {});
  }

  /** The same for {@code fabric}, whose queue pairs are connected. */
  static Availability availabilityOfConnections(String fabric, VerbsSettings verbs) {
    return availability(verbs, nic -> nic.connecting(fabric, INSTEAD));
  }

  /** The same, where {@code need} may refuse the device. */
  private static Availability availability(VerbsSettings verbs, Consumer<NicPort> need) {
    try (NicPort nic = NicPort.open(verbs)) {
      need.accept(nic);
      return new Availability.Available(nic + beside(nic, verbs));
    } catch (UnavailableException e) {
      String message = e.getMessage();
      int fix = message.lastIndexOf("; ");
      return fix < 0
          ? new Availability.Missing(message, "")
          : new Availability.Missing(message.substring(0, fix), message.substring(fix + 2));
    }
  }

  /** The devices that would be rails beside {@code first}, each after a comma. */
  private static String beside(NicPort first, VerbsSettings verbs) {
    StringBuilder names = new StringBuilder();
    int rails = 1;
    for (String name : first.others(verbs)) {
      if (rails < verbs.rails()) {
        Optional<String> rail = nameBeside(first, name, verbs);
        rail.ifPresent(found -> names.append(", ").append(found));
        rails += rail.isPresent() ? 1 : 0;
      }
    }
    return names.toString();
  }

  private static Optional<String> nameBeside(NicPort first, String name, VerbsSettings verbs) {
    try {
      Optional<NicPort> nic = first.openBeside(name, verbs);
      nic.ifPresent(NicPort::close);
      return nic.map(NicPort::toString);
    } catch (TomboloException e) {
      log.debug("RDMA device {} would be no rail: {}", name, e.getMessage());
      return Optional.empty();
    }
  }

  /** {@code rc}: peers on the same RDMA fabric, through reliable connections. */
  public static Fabric rc(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return new VerbsRails(
            settings,
            verbs,
            bind,
            (nic, door) -> new RcMedium(nic.connecting("rc", INSTEAD), door, settings))
        .open();
  }

  /** {@code uc}: the same through unreliable connections, and the reliable protocol. */
  public static Fabric uc(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return new VerbsRails(
            settings,
            verbs,
            bind,
            (nic, door) -> lossy(PairType.UC, nic.connecting("uc", INSTEAD), door, settings, verbs))
        .open();
  }

  /** {@code ud}: the same through datagrams, and the reliable protocol. */
  public static Fabric ud(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return new VerbsRails(
            settings,
            verbs,
            bind,
            (nic, door) -> lossy(PairType.UD, nic, door, settings, verbs.withPaths(1)))
        .open();
  }

  /** With other rails, these are what a channel goes on over. */
  private static Medium lossy(
      PairType type, NicPort nic, VerbsDoor door, FabricSettings settings, VerbsSettings verbs) {
    Medium medium = new LossyMedium(type, nic, door, settings, verbs.paths(), verbs.faults());
    return settings.mayBeLeft() && verbs.rails() == 1
        ? new TrialMedium(medium, door.sockets(), settings.rank())
        : medium;
  }
}
