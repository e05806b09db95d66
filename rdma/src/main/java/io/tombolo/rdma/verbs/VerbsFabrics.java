package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Availability;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.StagedFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the fabrics over RDMA devices. Whoever opens one closes it. */
public final class VerbsFabrics {
  /** The names of these fabrics. */
  public static final ImmutableList<String> NAMES = ImmutableList.of("rc", "uc", "ud");

  private static final Logger log = LoggerFactory.getLogger(VerbsFabrics.class);

  private VerbsFabrics() {}

  /** Whether an RDMA device can be used, and which; else why not. */
  public static Availability availability(VerbsSettings verbs) {
    try (Nic nic = Nic.open(verbs)) {
      return new Availability.Available(nic.toString());
    } catch (UnavailableException e) {
      String message = e.getMessage();
      int fix = message.lastIndexOf("; ");
      return fix < 0
          ? new Availability.Missing(message, "")
          : new Availability.Missing(message.substring(0, fix), message.substring(fix + 2));
    }
  }

  /**
   * The fabrics over this process's RDMA device, the best first. None, with the reason in the log,
   * if no device can be used.
   *
   * @param bind where handshakes are made: an address of this host, port 0 for any
   * @param asked names of fabrics that the user listed
   * @throws UnavailableException if no device can be used although a fabric that needs one is in
   *     {@code asked}
   */
  public static ImmutableList<Fabric> open(
      FabricSettings settings,
      VerbsSettings verbs,
      InetSocketAddress bind,
      Collection<String> asked) {
    boolean wanted = !Collections.disjoint(asked, NAMES);
    if (!wanted && availability(verbs) instanceof Availability.Missing missing) {
      log.debug("rank {} goes without RDMA: {}", settings.rank(), missing.cause());
      return ImmutableList.of();
    }
    try (CloseStack stack = new CloseStack()) {
      ImmutableList<Fabric> opened =
          names(verbs, asked).stream()
              .map(name -> stack.opened(open(name, settings, verbs, bind)))
              .collect(ImmutableList.toImmutableList());
      stack.keep();
      return opened;
    }
  }

  /** Those asked for; else the one that suits the port. */
  private static ImmutableList<String> names(VerbsSettings verbs, Collection<String> asked) {
    if (!asked.isEmpty()) {
      return NAMES.stream().filter(asked::contains).collect(ImmutableList.toImmutableList());
    }
    try (Nic nic = Nic.open(verbs)) {
      String name = nic.isLossless() ? "rc" : nic.supports(PairType.UC) ? "uc" : "ud";
      log.info(
          "over {}: {}, because its link {}",
          nic,
          name,
          nic.isLossless() ? "drops nothing for want of room" : "may lose packets");
      return ImmutableList.of(name);
    }
  }

  private static Fabric open(
      String name, FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return switch (name) {
      case "uc" -> uc(settings, verbs, bind);
      case "ud" -> ud(settings, verbs, bind);
      default -> rc(settings, verbs, bind);
    };
  }

  /** {@code rc}: peers on the same RDMA fabric, through reliable connections. */
  public static Fabric rc(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind) {
    return open(settings, verbs, bind, (nic, door) -> new RcMedium(nic, door, settings.pinner()));
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
      BiFunction<Nic, VerbsDoor, Medium> made) {
    try (CloseStack stack = new CloseStack()) {
      Nic nic = stack.opened(Nic.open(verbs));
      log.info("rank {} uses RDMA device {}", settings.rank(), nic);
      Medium sockets = stack.opened(TcpMedium.open(settings.pinner(), bind));
      Fabric fabric =
          new StagedFabric(made.apply(nic, new VerbsDoor(nic.card(), sockets)), settings);
      stack.keep();
      return fabric;
    }
  }
}
