// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of one epoch, one per rail that lives, and what they and their forerunners carried.
 * What goes wrong with one of them is told when that one is polled, and concerns no other.
 */
final class RailChannels {
  private static final Logger log = LoggerFactory.getLogger(RailChannels.class);

  private final RailsRoute route;
  private final Channel[] channels;
  private final TomboloException[] refusals;
  private final boolean[] hasOpened;
  private final boolean[] isCounted;
  private final boolean[] isClosed;
  private final Channel.Completions[] arrivals;
  private final RailTotals before = new RailTotals();

  /**
   * Of the rails of {@code route}, which carry the stripes of {@code sends} and {@code receives}.
   */
  RailChannels(RailsRoute route, Stripes sends, Stripes receives) {
    this.route = route;
    channels = new Channel[route.count()];
    refusals = new TomboloException[route.count()];
    hasOpened = new boolean[route.count()];
    isCounted = new boolean[route.count()];
    isClosed = new boolean[route.count()];
    arrivals = new Channel.Completions[route.count()];
    for (int rail = 0; rail < route.count(); rail++) {
      arrivals[rail] = new Arrivals(rail, sends, receives);
    }
  }

  /** Begins to open the channel over {@code rail} that carries the stripes of {@code epoch}. */
  void open(int rail, int epoch, Deadline deadline) {
    hasOpened[rail] = false;
    isCounted[rail] = false;
    isClosed[rail] = false;
    refusals[rail] = null;
    try {
      channels[rail] = route.connect(rail, epoch, deadline);
    } catch (TomboloException e) {
      refusals[rail] = e;
    }
  }

  Channel get(int rail) {
    return channels[rail];
  }

  /** Whether the channel over {@code rail} has opened, also if it has failed since. */
  boolean hasOpened(int rail) {
    return hasOpened[rail];
  }

  /** Whether nothing that came over {@code rail} waits for its place. */
  boolean isDrained(int rail) {
    return channels[rail].isDrained();
  }

  /** Takes what stripes have arrived; how many. */
  int poll(int rail) {
    if (refusals[rail] != null) {
      throw refusals[rail];
    }
    Optional<TomboloException> broken = route.failureOf(rail);
    if (broken.isPresent()) {
      throw broken.get();
    }
    int reported = channels[rail].poll(arrivals[rail]);
    hasOpened[rail] = hasOpened[rail] || channels[rail].isOpen();
    return reported;
  }

  /** Takes what stripes have arrived, and does not ask what is wrong. */
  void pollWhatHasCome() {
    for (int rail = 0; rail < channels.length; rail++) {
      try {
        if (channels[rail] != null && !isClosed[rail]) {
          channels[rail].poll(arrivals[rail]);
        }
      } catch (TomboloException e) {
        log.debug("{} has nothing more: {}", route.nameOf(rail), e.getMessage());
      }
    }
  }

  /** Closes the channel over {@code rail}, if there is one. */
  void close(int rail) {
    if (channels[rail] == null || isClosed[rail]) {
      return;
    }
    if (!isCounted[rail]) {
      isCounted[rail] = true;
      before.add(channels[rail]);
    }
    try {
      channels[rail].close();
      isClosed[rail] = true;
    } catch (TomboloException e) {
      log.debug("{} cannot be closed yet: {}", route.nameOf(rail), e.getMessage());
    }
  }

  void close() {
    for (int rail = 0; rail < channels.length; rail++) {
      close(rail);
    }
  }

  /**
   * Whether nothing touches memory for the channels, which are closed. A NIC that does not let go
   * of a queue pair may still do so.
   */
  boolean areQuiet() {
    boolean areQuiet = true;
    for (int rail = 0; rail < channels.length; rail++) {
      close(rail);
      areQuiet &= channels[rail] == null || (isClosed[rail] && channels[rail].isQuiet());
    }
    return areQuiet;
  }

  /** The epoch is over. */
  void forget() {
    for (int rail = 0; rail < channels.length; rail++) {
      channels[rail] = null;
      refusals[rail] = null;
    }
  }

  /** What was carried so far. */
  RailTotals totals() {
    RailTotals sum = new RailTotals();
    sum.add(before);
    for (int rail = 0; rail < channels.length; rail++) {
      if (channels[rail] != null && !isCounted[rail]) {
        sum.add(channels[rail]);
      }
    }
    return sum;
  }

  /** None of a rail's stripes overtakes another. */
  private record Arrivals(int rail, Stripes sends, Stripes receives)
      implements Channel.Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {
      sends.onArrived(rail);
    }

    @Override
    public void onReceived(long tag, long sizeBytes) {
      receives.onArrived(rail);
    }
  }
}
