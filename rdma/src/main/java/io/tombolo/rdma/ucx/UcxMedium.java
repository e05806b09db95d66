// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.Availability;
import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.Medium;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.SlotLink;
import io.tombolo.rdma.tcp.TcpMedium;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Peers on any host, through UCX. They meet at a TCP port, as those of {@code tcp} do; UCX itself
 * is started for the first of them.
 */
public final class UcxMedium implements Medium {
  static final String NAME = "ucx";

  private static final Logger LOG = LoggerFactory.getLogger(UcxMedium.class);
  private static final File RDMA_DEVICES = new File("/sys/class/infiniband");

  private static final FabricTraits TRAITS =
      new FabricTraits(true, true, true, FabricTraits.Path.STAGED);

  private final FabricSettings settings;
  private final TcpMedium meeting;
  private final ImmutableMap<String, String> options;
  private final String version;
  private UcxEngine engine;

  private UcxMedium(
      FabricSettings settings,
      TcpMedium meeting,
      ImmutableMap<String, String> options,
      String version) {
    this.settings = settings;
    this.meeting = meeting;
    this.options = options;
    this.version = version;
  }

  /**
   * Listens on {@code bind} (port 0: any free one).
   *
   * @throws UnavailableException if UCX cannot be used in this process, or that port cannot be had
   */
  public static UcxMedium open(FabricSettings settings, InetSocketAddress bind) {
    Availability availability = UcxLibrary.availability();
    if (availability instanceof Availability.Missing missing) {
      throw new UnavailableException(
          "the fabric ucx cannot be used here: " + missing.cause() + "; " + missing.fix());
    }
    String version = ((Availability.Available) availability).version();
    TcpMedium meeting = TcpMedium.open(settings.pinner(), bind);
    return new UcxMedium(settings, meeting, optionsFor(bind, hasRdma(), System.getenv()), version);
  }

  /**
   * What UCX is told unless the user tells it. It needs no segments of shared memory, 4 MiB a
   * process: those of UCX cannot tell when a peer dies. A job that keeps to this host must not
   * listen to the others either; and where {@code hasRdma} says that there is nothing faster, it
   * takes the interface that others reach this process by: of several, UCX may take one that leads
   * nowhere.
   */
  static ImmutableMap<String, String> optionsFor(
      InetSocketAddress bind, boolean hasRdma, Map<String, String> environment) {
    ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
    if (!environment.containsKey("UCX_TLS")) {
      options.put("TLS", "^shm");
    }
    if (!environment.containsKey("UCX_NET_DEVICES")) {
      interfaceOf(bind.getAddress(), hasRdma).ifPresent(name -> options.put("NET_DEVICES", name));
    }
    return options.buildOrThrow();
  }

  private static Optional<String> interfaceOf(InetAddress bind, boolean hasRdma) {
    if (bind.isLoopbackAddress()) {
      return Optional.of("lo");
    }
    if (hasRdma || bind.isAnyLocalAddress()) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(NetworkInterface.getByInetAddress(bind))
          .map(NetworkInterface::getName);
    } catch (SocketException e) {
      LOG.debug("the interface of {} is not known, so UCX may take any", bind, e);
      return Optional.empty();
    }
  }

  private static boolean hasRdma() {
    String[] devices = RDMA_DEVICES.list();
    return devices != null && devices.length > 0;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public FabricTraits traits() {
    return TRAITS;
  }

  @Override
  public byte[] address() {
    return meeting.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return meeting.reaches(peerAddress);
  }

  @Override
  public String reach() {
    return "network, through " + version;
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return meeting.accept();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return meeting.dial(peerAddress, deadline);
  }

  @Override
  public SlotLink link(Joined joined) {
    if (engine == null) {
      engine = UcxEngine.start(options);
    }
    return new UcxLink(engine, joined.socket(), joined.geometry(), settings);
  }

  @Override
  public int progress() {
    return engine == null ? 0 : engine.progress();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    meeting.awaits(wakeUps);
    if (engine != null) {
      engine.awaits(wakeUps);
    }
  }

  @Override
  public void close() {
    meeting.close();
    if (engine != null) {
      engine.close();
      engine = null;
    }
  }
}
