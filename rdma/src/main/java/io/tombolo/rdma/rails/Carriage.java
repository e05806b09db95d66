// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.staged.TransferQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of both directions, and the rails' channels that their stripes travel over. */
final class Carriage {
  private static final Logger log = LoggerFactory.getLogger(Carriage.class);

  private final RailsRoute route;
  private final Ticker ticker;
  private final Stripes sends;
  private final Stripes receives;
  private final RailChannels channels;
  private final Overdue overdue;
  private long acknowledged;
  private long toldReceived;

  Carriage(RailsRoute route, TransferQueue sendQueue, TransferQueue receiveQueue, Ticker ticker) {
    this.route = route;
    this.ticker = ticker;
    sends = new Stripes(sendQueue, true, route.stripeBytes(), route.count());
    receives = new Stripes(receiveQueue, false, route.stripeBytes(), route.count());
    channels = new RailChannels(route, sends, receives);
    overdue = new Overdue(channels, receives, route.count());
  }

  Stripes sends() {
    return sends;
  }

  Stripes receives() {
    return receives;
  }

  RailChannels channels() {
    return channels;
  }

  Overdue overdue() {
    return overdue;
  }

  /** Opens the channels of {@code epoch}, so that the peer finds all; polls tell which fail. */
  void begin(int epoch, int live) {
    sends.restart(route.turns(live));
    receives.restart(route.turns(live));
    overdue.restart(ticker.read());
    for (int rail = 0; rail < route.count(); rail++) {
      if ((live & 1 << rail) != 0) {
        channels.open(rail, epoch, Deadline.after(ticker, route.openingBudget()));
      }
    }
  }

  /** Whether the sender is to know what does not come. */
  boolean isImpatient() {
    return receives.isUnderWay() && overdue.isDue(ticker.read());
  }

  /** What posts to a channel that has failed meanwhile learns of it at its next poll. */
  int feed() {
    try {
      return receives.feed(channels) + sends.feed(channels);
    } catch (TomboloException e) {
      log.debug("a rail has failed: {}", e.getMessage());
      return 1;
    }
  }

  /** So many messages have come to the peer. */
  void acknowledge(long received) {
    acknowledged = received;
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Messages are done whose stripes have arrived, and of those sent, that the peer has. */
  int finish() {
    return receives.finishThrough(Long.MAX_VALUE) + sends.finishThrough(acknowledged);
  }

  /** What the peer has is done, for nothing touches memory any more. */
  void finishAcknowledged() {
    sends.finishUpTo(acknowledged);
  }

  /** Whether messages are complete here of which the peer does not know it. */
  boolean hasNews() {
    return toldReceived < receives.done();
  }

  /** The peer is being told of all that are complete. */
  void tell() {
    toldReceived = receives.done();
  }

  /** Closes the channels; whether nothing touches memory for them any more. */
  boolean close() {
    channels.close();
    return channels.areQuiet();
  }

  /** The epoch is over, and its channels are quiet: works out what each message lacks. */
  void stop() {
    finish();
    channels.forget();
    sends.stop();
    receives.stop();
  }

  /** Takes what has come, and does not ask what is wrong. */
  void takeWhatHasCome() {
    channels.pollWhatHasCome();
    receives.finishThrough(Long.MAX_VALUE);
  }

  /** Whether an end has to wait: the peer has what a NIC may still read here. */
  boolean hasAcknowledged() {
    return sends.done() < acknowledged;
  }

  /** Whether the channel's user has not been told of all that is done. */
  boolean hasUnreported() {
    return sends.hasUnreported() || receives.hasUnreported();
  }
}
