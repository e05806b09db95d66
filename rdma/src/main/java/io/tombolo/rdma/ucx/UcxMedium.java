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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * Peers on any host, through UCX. They meet at a TCP port, as those of {@code tcp} do; UCX itself
 * is started for the first of them.
 */
public final class UcxMedium implements Medium {
  static final String NAME = "ucx";

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
    return new UcxMedium(settings, meeting, optionsFor(bind, System.getenv()), version);
  }

  /**
   * What UCX is told unless the user tells it. It needs no segments of shared memory, 4 MiB a
   * process: those of UCX cannot tell when a peer dies. And a job that keeps to this host must not
   * listen to the others either.
   */
  static ImmutableMap<String, String> optionsFor(
      InetSocketAddress bind, Map<String, String> environment) {
    ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
    if (!environment.containsKey("UCX_TLS")) {
      options.put("TLS", "^shm");
    }
    if (bind.getAddress().isLoopbackAddress() && !environment.containsKey("UCX_NET_DEVICES")) {
      options.put("NET_DEVICES", "lo");
    }
    return options.buildOrThrow();
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
