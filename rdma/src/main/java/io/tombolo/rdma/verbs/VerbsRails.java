// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.rails.Rail;
import io.tombolo.rdma.rails.RailsFabric;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.StagedFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the RDMA devices that a process uses at once. Without the first one there is no fabric; one
 * of the others that cannot be used is left out.
 */
final class VerbsRails {
  private static final Logger log = LoggerFactory.getLogger(VerbsRails.class);

  /** Makes what carries messages over one port; takes port and door, unless it fails. */
  interface Made {
    Medium over(NicPort nic, VerbsDoor door);
  }

  private final FabricSettings settings;
  private final VerbsSettings verbs;
  private final InetSocketAddress bind;
  private final Made made;

  VerbsRails(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind, Made made) {
    this.settings = settings;
    this.verbs = verbs;
    this.bind = bind;
    this.made = made;
  }

  Fabric open() {
    try (CloseStack stack = new CloseStack()) {
      NicPort first = NicPort.open(verbs);
      List<Rail> rails = new ArrayList<>();
      rails.add(opened(stack, rail(first)));
      ImmutableList<String> others = mayHaveSeveral() ? first.others(verbs) : ImmutableList.of();
      for (String name : others) {
        if (rails.size() < verbs.rails()) {
          beside(first, name).ifPresent(rail -> rails.add(opened(stack, rail)));
        }
      }
      Fabric fabric = over(rails);
      stack.keep();
      return fabric;
    }
  }

  private static Rail opened(CloseStack stack, Rail rail) {
    stack.opened(rail.fabric());
    return rail;
  }

  /**
   * Rails of one name are one network where networks are built by rails: so their order is that of
   * names, whichever is the nearest to this rank's device.
   */
  private Fabric over(List<Rail> rails) {
    if (rails.size() == 1) {
      return RailsFabric.over(rails.get(0), settings);
    }
    rails.sort(Comparator.comparing(Rail::nic));
    log.warn(
        "rank {} uses {} RDMA devices; what their channels agree on goes through {}: if that"
            + " interface fails, so do they",
        settings.rank(),
        rails.size(),
        bind.getAddress());
    return RailsFabric.over(rails, TcpMedium.open(settings.pinner(), bind), settings);
  }

  /** Each rail listens, and so do control connections. */
  private boolean mayHaveSeveral() {
    if (verbs.rails() > 1 && bind.getPort() != 0) {
      log.warn(
          "rank {} uses one RDMA device: several would listen on a port each, and {} is only one",
          settings.rank(),
          bind.getPort());
      return false;
    }
    return verbs.rails() > 1;
  }

  private Optional<Rail> beside(NicPort first, String name) {
    try {
      Optional<NicPort> nic = first.openBeside(name, verbs);
      return nic.map(this::rail);
    } catch (TomboloException e) {
      log.warn("rank {} goes without RDMA device {}: {}", settings.rank(), name, e.getMessage());
      return Optional.empty();
    }
  }

  /** A fabric over {@code nic} alone, which it takes also if it fails. */
  private Rail rail(NicPort nic) {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(nic);
      log.info(
          "rank {} uses RDMA device {}, whose link {}",
          settings.rank(),
          nic,
          nic.isLossless() ? "drops nothing for want of room" : "may lose packets");
      Medium sockets = stack.opened(TcpMedium.open(settings.pinner(), bind));
      Medium medium = made.over(nic, new VerbsDoor(nic.card(), sockets));
      Rail rail =
          new Rail(
              new StagedFabric(medium, settings),
              nic.device() + ":" + nic.port(),
              nic.megabytesPerSecond());
      stack.keep();
      return rail;
    }
  }
}
