// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.Instead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fabric over bounded rings of slots: of two ranks the lesser one dials, messages are cut into
 * slots, and the two sides' calls meet in order.
 */
public final class StagedFabric implements Fabric {
  /** Between two looks for peers that nobody here waits for: a system call each. */
  private static final int ROUNDS_PER_LOOK = 32;

  private static final Logger log = LoggerFactory.getLogger(StagedFabric.class);

  private static final Duration SETTLE = Duration.ofMillis(500);

  private final Medium medium;
  private final FabricSettings settings;
  private final Greeter greeter;
  private final List<StagedChannel> channels = new ArrayList<>();
  private final Retired retired;
  private int rounds;
  private boolean closed;

  /** A fabric over {@code medium}, which it takes. */
  public StagedFabric(Medium medium, FabricSettings settings) {
    this.medium = medium;
    this.settings = settings;
    this.greeter = new Greeter(medium, settings);
    this.retired = new Retired("rank " + rank() + ": " + name(), settings.ticker());
  }

  @Override
  public String name() {
    return medium.name();
  }

  @Override
  public FabricTraits traits() {
    return medium.traits();
  }

  @Override
  public byte[] address() {
    return medium.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return medium.reaches(peerAddress);
  }

  @Override
  public boolean readsFrom(MemoryBlock block) {
    return medium.readsFrom(block);
  }

  @Override
  public boolean writesInto(MemoryBlock block) {
    return medium.writesInto(block);
  }

  @Override
  public String reach() {
    return medium.reach();
  }

  @Override
  public Optional<Instead> instead(int peer) {
    return medium.instead(peer);
  }

  @Override
  public Channel connect(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
    checkArgument(peer >= 0 && peer != rank(), "rank %s cannot connect to rank %s", rank(), peer);
    checkArgument(reaches(peerAddress), "rank %s is not within reach of %s", peer, name());
    checkState(!closed, "%s is closed", name());
    checkArgument(
        channels.stream().noneMatch(channel -> channel.leadsTo(peer, channelId)),
        "rank %s has channel %s to rank %s already",
        rank(),
        channelId,
        peer);
    Opening opening =
        rank() < peer
            ? dial(peer, peerAddress, channelId, deadline)
            : new Awaiting(medium, greeter, peer, channelId, deadline);
    StagedChannel channel =
        new StagedChannel(this, peer, channelId, opening, deadline, settings.ticker());
    channels.add(channel);
    return channel;
  }

  @Override
  public int progress() {
    if (closed) {
      return 0;
    }
    try {
      return progressAll();
    } finally { // also if the medium has failed: what is closed has to come to its end
      retired.progress();
    }
  }

  private int progressAll() {
    boolean expects = !greeter.isIdle();
    int steps = medium.progress();
    for (int i = 0; i < channels.size(); i++) {
      StagedChannel channel = channels.get(i);
      steps += channel.progress();
      expects |= channel.isOpening();
    }
    if (expects || ++rounds % ROUNDS_PER_LOOK == 0) {
      steps += greeter.progress();
    }
    return steps;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (!greeter.isIdle() || retired.areEnding()) {
      wakeUps.soon();
      return;
    }
    retired.awaits(wakeUps);
    medium.awaits(wakeUps);
    for (int i = 0; i < channels.size(); i++) {
      channels.get(i).awaits(wakeUps);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(channels).forEach(this::close);
    settle();
    if (retired.count() > 0) {
      log.warn(
          "rank {} closed {} while something of {} channels was under way{}: the memory that it may"
              + " touch stays mapped",
          rank(),
          name(),
          retired.count(),
          retired.why());
      retired.abandon();
    }
    greeter.close();
    medium.close();
  }

  /** One that a device refuses to end keeps none of the others open, and is tried again below. */
  private void close(StagedChannel channel) {
    try {
      channel.close();
    } catch (TomboloException e) {
      log.debug("rank {}: {} does not end a channel: {}", rank(), name(), e.getMessage());
    }
  }

  /** Lets copies and last messages that are under way come to their end, a moment long. */
  private void settle() {
    Deadline deadline = Deadline.after(SETTLE);
    retired.endPause();
    retired.progress();
    while (retired.count() > 0 && !deadline.isExpired()) {
      medium.progress();
      retired.progress();
    }
  }

  int rank() {
    return settings.rank();
  }

  /** A channel has closed: its slots go as soon as nothing touches them. */
  void forget(StagedChannel channel) {
    if (channels.remove(channel)) {
      retired.add(channel);
    }
  }

  private Opening dial(int peer, byte[] peerAddress, long channelId, Deadline deadline) {
    Hello hello =
        Hello.of(rank(), peer, channelId, settings.geometry()).onTrial(medium.mayBeLeft());
    Dialling.Call call =
        new Dialling.Call() {
          @Override
          public PeerSocket dial() {
            return medium.dial(peerAddress, deadline);
          }

          @Override
          public DiallerHandshake handshake() {
            return new DiallerHandshake(name(), settings.token(), hello);
          }
        };
    return new Dialling(medium, call, deadline);
  }
}
