// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Availability;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.StagedFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import java.net.InetSocketAddress;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the fabrics over RDMA devices. Whoever opens one closes it. */
public final class VerbsFabrics {
  private static final Logger log = LoggerFactory.getLogger(VerbsFabrics.class);

  private VerbsFabrics() {}

  /** Whether an RDMA device can be used, and which; else why not. */
  public static Availability availability(VerbsSettings verbs) {
    try (NicPort nic = NicPort.open(verbs)) {
      return new Availability.Available(nic.toString());
    } catch (UnavailableException e) {
      String message = e.getMessage();
      int fix = message.lastIndexOf("; ");
      return fix < 0
          ? new Availability.Missing(message, "")
          : new Availability.Missing(message.substring(0, fix), message.substring(fix + 2));
    }
  }

  /** {@code rc}: peers on the same RDMA fabric, through reliable connections. */
  public static Fabric rc(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return open(settings, verbs, bind, (nic, door) -> new RcMedium(nic, door, settings));
  }

  /** {@code uc}: the same through unreliable connections, and the reliable protocol. */
  public static Fabric uc(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return open(
        settings,
        verbs,
        bind,
        (nic, door) ->
            new LossyMedium(PairType.UC, nic, door, settings, verbs.paths(), verbs.faults()));
  }

  /** {@code ud}: the same through datagrams, and the reliable protocol. */
  public static Fabric ud(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return open(
        settings,
        verbs,
        bind,
        (nic, door) -> new LossyMedium(PairType.UD, nic, door, settings, 1, verbs.faults()));
  }

  private static Fabric open(
      FabricSettings settings,
      VerbsSettings verbs,
      InetSocketAddress bind,
      BiFunction<NicPort, VerbsDoor, Medium> made) {
    try (CloseStack stack = new CloseStack()) {
      NicPort nic = stack.opened(NicPort.open(verbs));
      log.info(
          "rank {} uses RDMA device {}, whose link {}",
          settings.rank(),
          nic,
          nic.isLossless() ? "drops nothing for want of room" : "may lose packets");
      Medium sockets = stack.opened(TcpMedium.open(settings.pinner(), bind));
      Fabric fabric =
          new StagedFabric(made.apply(nic, new VerbsDoor(nic.card(), sockets)), settings);
      stack.keep();
      return fabric;
    }
  }
}
