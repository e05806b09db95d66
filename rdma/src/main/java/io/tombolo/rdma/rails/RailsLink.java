// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.staged.MessageLink;
import io.tombolo.rdma.staged.TransferQueue;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of one channel over several rails.
 *
 * <p>As long as all rails work, stripes travel over one channel per rail, and the control
 * connection says which messages are complete. Who finds that a rail has failed says to stop; who
 * is told to stop says so, too, and then closes the other channels. So what fails after one's own
 * word to stop is no proof against a rail: only if all do and no word comes, the peer is dead. Once
 * nothing touches memory for the closed channels any more, each side says what its receives lack;
 * with both states known, the next epoch begins, with new channels over the rails that live for
 * both. So nothing of an old channel ever meets memory that was given back.
 */
final class RailsLink implements MessageLink {
  private static final Logger log = LoggerFactory.getLogger(RailsLink.class);

  /** Idle rounds between two looks at the control connection: a system call. */
  private static final int ROUNDS_PER_LOOK = 64;

  private final RailsRoute route;
  private final Ticker ticker;
  private final Carriage carriage;
  private final ControlConnection control;
  private final RailFailures failures = new RailFailures();
  private final RecoveryClock clock;
  private final StallWatch stalls;
  private final LiveRails live;
  private Phase phase = Phase.CARRYING;
  private int epoch;
  private boolean met;
  private boolean ready;
  private boolean hungUp;
  private boolean peerStopped;
  private Optional<PeerState> peer = Optional.empty();
  private TomboloException ending;
  private int rounds;

  RailsLink(RailsRoute route, TransferQueue sendQueue, TransferQueue receiveQueue, Ticker ticker) {
    this.route = route;
    this.ticker = ticker;
    carriage = new Carriage(route, sendQueue, receiveQueue, ticker);
    control = new ControlConnection(route.joined().socket(), this::onWord);
    clock = new RecoveryClock(route, ticker);
    stalls = new StallWatch(route.count(), ticker.read());
    live = new LiveRails(route.count(), route.joined().dialled());
    control.sayPairs(live.bits(), route);
    begin();
  }

  private void begin() {
    phase = Phase.CARRYING;
    live.begin();
    stalls.restart();
    carriage.begin(epoch, live.bits());
  }

  /** The rails that this side can go on over, as far as it knows: a bit each. */
  int live() {
    return live.bits();
  }

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public String doing() {
    return "its rails are not connected yet" + failures.first();
  }

  @Override
  public int progress() {
    rounds++;
    int steps = control.flush() ? 1 : 0;
    steps += isToBeHeard() ? control.listen(peer.isEmpty()) : 0;
    if (control.isGone() && phase != Phase.ENDING) {
      end(new PeerFailedException(howPeerWent()));
    }
    return steps
        + switch (phase) {
          case CARRYING -> carry();
          case STOPPING -> awaitStop();
          case FENCING -> fence();
          case AGREEING -> agree();
          case ENDING -> finishEnding();
        };
  }

  /** The peer is listened to while something is expected of it, else now and then. */
  private boolean isToBeHeard() {
    return phase != Phase.CARRYING
        || !ready
        || carriage.sends().isOldestThrough()
        || rounds % ROUNDS_PER_LOOK == 0;
  }

  private int carry() {
    int steps = pollRails();
    if (phase != Phase.CARRYING || !met) {
      return steps;
    }
    boolean mayComplain = steps == 0 && rounds % ROUNDS_PER_LOOK == 0 && control.isFlushed();
    if (mayComplain && carriage.isImpatient()) {
      control.sayExpected(epoch, live.bits(), carriage.receives(), carriage.overdue());
    }
    return steps + carriage.feed() + finish();
  }

  private int pollRails() {
    int steps = 0;
    for (int rail = 0; rail < route.count(); rail++) {
      steps += live.has(rail) ? poll(rail) : 0;
    }
    return steps;
  }

  private int poll(int rail) {
    try {
      int reported = carriage.channels().poll(rail);
      ready = ready || (met && carriage.channels().hasOpened(rail)); // the others may come later
      return reported;
    } catch (TomboloException e) {
      if (e instanceof CorruptException) {
        say(ControlWord.CALLS_DIFFER);
      }
      if (RailFailures.isOfTheChannel(e, carriage.channels().hasOpened(rail))) {
        throw e;
      }
      onRailFailed(rail, e);
      return 1;
    }
  }

  private void onRailFailed(int rail, TomboloException e) {
    log.debug("{} has failed: {}", route.nameOf(rail), e.getMessage());
    if (phase == Phase.CARRYING) {
      live.lose(rail);
      stop(rail, e);
    } else {
      live.doubt(rail);
    }
    clock.onTrouble();
  }

  private void onRailStalled(int rail) {
    live.stall(rail);
    stop(rail, new PeerFailedException("nothing arrives over it"));
  }

  private void stop(int rail, TomboloException why) {
    failures.add(route.nameOf(rail), why);
    carriage.channels().close(rail);
    phase = Phase.STOPPING;
    clock.start();
    say(live.lastWord());
  }

  private int finish() {
    int steps = carriage.finish();
    sayReceived(control.isFlushed());
    return steps;
  }

  private void sayReceived(boolean isTime) {
    if (isTime && carriage.hasNews()) {
      carriage.tell();
      say(ControlWord.RECEIVED);
    }
  }

  private void say(byte type) {
    control.say(type, epoch, live.bits(), carriage.receives().done());
  }

  /** Rails that fail now may do so because the peer has heard this side: its own word tells. */
  private int awaitStop() {
    int steps = pollRails();
    if (live.isHopeless() && clock.isGraceOver()) {
      end(failures.allOf(route.count()));
    }
    clock.check("the peer has not answered", failures);
    return steps;
  }

  /** The word to stop leaves before the peer's channels end. */
  private int fence() {
    if (control.isFlushed() && carriage.close()) {
      carriage.stop();
      control.sayState(epoch, live.bits(), carriage.receives());
      carriage.tell();
      phase = Phase.AGREEING;
      return 1;
    }
    clock.check("memory of messages is still in use", failures);
    return 0;
  }

  private int agree() {
    if (peer.isPresent() && control.isFlushed()) {
      goOn(peer.get());
      return 1;
    }
    clock.check("the peer has not said what it lacks", failures);
    return 0;
  }

  /** Both sides know what lacks and what lives. */
  private void goOn(PeerState state) {
    int left = live.share(state.live());
    log.warn(
        "{} goes on over {} of {} rails{}", route.name(), left, route.count(), failures.last());
    state.applyTo(carriage.sends());
    carriage.finishAcknowledged();
    peer = Optional.empty();
    peerStopped = false;
    epoch++;
    begin();
  }

  /** Takes what has come; the rest is lost. */
  private void end(TomboloException why) {
    if (phase != Phase.AGREEING) {
      carriage.takeWhatHasCome();
    }
    ending = why;
    phase = Phase.ENDING;
    clock.onTrouble();
  }

  /**
   * A send that the peer has acknowledged is done as soon as no NIC reads its memory. What is done
   * is reported first.
   */
  private int finishEnding() {
    boolean isLate = clock.isGraceOver();
    boolean isHeard = control.isFlushed() || isLate;
    boolean isQuiet = isHeard && carriage.close();
    if (isQuiet) {
      carriage.finishAcknowledged();
    }
    if (!isHeard || carriage.hasUnreported() || (carriage.hasAcknowledged() && !isLate)) {
      return 0;
    }
    throw ending;
  }

  /** Whether the next word belongs to this epoch, too. */
  private boolean onWord(ControlWord word, ByteBuffer ranges) {
    if (!met) {
      route.check(word, ranges);
      met = true;
      return true;
    }
    word.check(epoch, live.begun(), carriage.acknowledged(), carriage.sends().taken());
    carriage.acknowledge(word.received());
    if (phase != Phase.ENDING) {
      switch (word.type()) {
        case ControlWord.STOP, ControlWord.STALLED -> onStop(word);
        case ControlWord.STATE -> onState(word, ranges);
        case ControlWord.EXPECTED -> onExpected(word, ranges);
        case ControlWord.CALLS_DIFFER ->
            throw new CorruptException(
                "the peer has found that the two sides' calls differ; its own error says where");
        case ControlWord.PAIRS -> throw word.isOutOfTurn(phase);
        default -> {} // every word tells what was received
      }
    }
    return peer.isEmpty();
  }

  /** Nothing more will come over this epoch's channels, and the peer judges them no more. */
  private void onStop(ControlWord word) {
    int lost = live.lostIn(word);
    if (peerStopped || (phase == Phase.CARRYING && lost == 0)) {
      throw word.isOutOfTurn(phase);
    }
    peerStopped = true;
    if (lost != 0) {
      failures.add(
          route.nameOf(Integer.numberOfTrailingZeros(lost)), "the peer's end of it has failed");
    }
    if (phase == Phase.CARRYING) {
      clock.start();
      say(ControlWord.STOP);
    }
    if (live.settle(word)) {
      phase = Phase.FENCING;
    } else {
      end(failures.allOf(route.count()));
    }
  }

  private void onState(ControlWord word, ByteBuffer ranges) {
    if (!peerStopped || (live.bits() & word.live()) == 0) {
      throw word.isOutOfTurn(phase);
    }
    peer = Optional.of(PeerState.of(word, ranges));
  }

  /** What comes, and does not come, while this side carries nothing is no news. */
  private void onExpected(ControlWord word, ByteBuffer ranges) {
    if (phase == Phase.CARRYING && stalls.mayCount(ticker.read())) {
      stalls.onWord(word, ranges, carriage, live.bits()).ifPresent(this::onRailStalled);
    }
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (phase != Phase.CARRYING || carriage.hasNews()) {
      wakeUps.soon();
    } else {
      control.awaits(wakeUps); // fabrics tell of what comes over the rails
    }
  }

  /** {@link #progress} ends with an error once that is so. */
  @Override
  public boolean isPeerGone() {
    return false;
  }

  @Override
  public String howPeerWent() {
    return "the peer closed its end, or its process died; look at its output" + failures.first();
  }

  /** Nobody counts on what is not acknowledged. */
  @Override
  public boolean isDrained() {
    return true;
  }

  @Override
  public boolean isQuiet() {
    return carriage.channels().areQuiet();
  }

  @Override
  public long sentBytes() {
    return carriage.sends().movedBytes();
  }

  @Override
  public long receivedBytes() {
    return carriage.receives().movedBytes();
  }

  @Override
  public Optional<ProtocolCounters> protocolCounters() {
    return carriage.channels().totals().counters();
  }

  @Override
  public long copiedBytes() {
    return carriage.channels().totals().copiedBytes();
  }

  @Override
  public long engineBytes() {
    return carriage.channels().totals().engineBytes();
  }

  @Override
  public long directBytes() {
    return carriage.channels().totals().directBytes();
  }

  @Override
  public void hangUp() {
    if (!hungUp) {
      hungUp = true;
      sayReceived(met);
      control.close();
      carriage.close();
    }
  }

  @Override
  public void close() {
    hangUp();
  }
}
