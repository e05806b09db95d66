// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Instead;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.staged.CarrierChoice.State;
import io.tombolo.rdma.staged.CarrierChoice.Word;
import io.tombolo.rdma.staged.TrialSocket.Said;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of one channel by the way that is tried, or if that does not open at both ends, by
 * the connection through which the ends agree on it. Until they have, what was posted waits, so
 * that no byte was ever carried by a way that is left. From the peer's first word on, the trial has
 * half of the time that is left for opening, so that the rest is for what comes then, and never
 * more than 30 s: a process that stands still for longer counts as dead. That a short trial is over
 * may be for want of time, so that other channels try again.
 */
final class TrialLink implements MessageLink {
  private static final Logger log = LoggerFactory.getLogger(TrialLink.class);

  private static final long MOST_NS = 30_000_000_000L;

  /** A way that works opens within this, also between busy machines. */
  private static final long LONG_NS = 10_000_000_000L;

  private final TrialMedium medium;
  private final Joined joined;
  private final Deadline opening;
  private final TransferQueue sends;
  private final TransferQueue receives;
  private final CarrierChoice choice;
  private final TrialSocket socket;

  /** When the trial is over, in the opening's time: not before the peer has come. */
  private long endNs = Long.MAX_VALUE;

  /** How long it takes at most. */
  private long trialNs;

  /** What is tried; null if it could not be made, or is closed. */
  private MessageLink first;

  /** What is used in its place; null if that is not so. */
  private MessageLink second;

  /** One of them, once the ends agree. */
  private MessageLink settled;

  /** Why this end gives the trial up; empty if it does not. */
  private String ours = "";

  /** The error behind that; null if there is none. */
  private Exception failure;

  /** Whether this end knows that the way does not work, and not only that it was late. */
  private boolean isForGood;

  /** Why the peer does, if it does. */
  private String theirs = "";

  private boolean parted;
  private boolean refused;

  /** Whether the trial is over in every respect. */
  private boolean done;

  /** Takes the connection, unless it fails. */
  TrialLink(
      TrialMedium medium,
      Joined joined,
      Deadline opening,
      TransferQueue sends,
      TransferQueue receives) {
    this.medium = medium;
    this.joined = joined;
    this.opening = opening;
    this.sends = sends;
    this.receives = receives;
    this.choice = new CarrierChoice(joined.dialled());
    this.socket = new TrialSocket(joined.socket());
    sends.hold();
    receives.hold();
    Optional<Instead> known = medium.insteadForGood(joined.peer());
    if (known.isPresent()) {
      giveUp(known.get().why(), true);
    } else {
      begin();
    }
  }

  private void begin() {
    try {
      first = medium.first().messages(joined.through(socket), sends, receives);
    } catch (TomboloException e) {
      giveUp(e);
    }
  }

  /** A peer that has ended it knows why, and whether that is for good. */
  private void giveUp(Exception why) {
    failure = why;
    giveUp(text(why), first == null || !first.isEndedByPeer());
  }

  /** Who has promised has to wait for the peer's word all the same. */
  private void giveUp(String why, boolean forGood) {
    ours = why;
    isForGood = forGood;
    choice.onFailure().ifPresentOrElse(this::say, socket::ignore);
  }

  /** How many frames and words that was. */
  private int hear() {
    int heard = socket.hear();
    for (Optional<Said> next = socket.take(); next.isPresent(); next = socket.take()) {
      theirs = next.get().why();
      choice.onWord(next.get().word()).ifPresent(this::say);
      heard += socket.hear();
    }
    if (endNs == Long.MAX_VALUE && socket.hasHeard()) {
      trialNs = Math.min(MOST_NS, Math.max(0, opening.remainingNs()) / 2);
      endNs = opening.elapsedNs() + trialNs;
    }
    return heard;
  }

  private void say(Word word) {
    socket.say(word, ours);
    if (word == Word.LEAVE) {
      part();
    }
  }

  /** Stops what was tried, whose connection goes on. It has touched no message. */
  private void part() {
    parted = true;
    socket.keep();
    try {
      if (first != null) {
        first.hangUp();
      }
    } catch (TomboloException e) {
      log.debug("what was tried for {} does not end yet: {}", name(), e.getMessage());
    }
  }

  @Override
  public boolean isReady() {
    return settled != null && settled.isReady();
  }

  @Override
  public String doing() {
    if (settled != null) {
      return settled.doing();
    }
    return switch (choice.state()) {
      case TRYING, OPEN, LEFT -> first == null ? ours : first.doing();
      case PROMISED ->
          "it opened here"
              + (ours.isEmpty() ? "" : ", and has failed since (" + ours + ")")
              + ", and the peer has not said yet whether it did there";
      case LEAVING -> "it does not open (" + ours + "), and the peer has not answered that yet";
    };
  }

  @Override
  public int progress() throws IOException {
    if (settled == null) {
      int steps = hear(); // a peer that leaves fails what is tried, too, and says why only here
      steps += attempt();
      settle();
      return steps;
    }
    if (!done) {
      finish();
    }
    return settled.progress();
  }

  private int attempt() {
    State state = choice.state();
    if (!ours.isEmpty() || (state != State.TRYING && state != State.PROMISED)) {
      return 0;
    }
    try {
      int steps = first.progress();
      if (first.isReady()) {
        choice.onReady().ifPresent(this::say);
      }
      if (choice.state() == State.TRYING && opening.elapsedNs() >= endNs) {
        String why = first.isReady() ? "it opened here, and not there" : first.doing();
        giveUp(why, trialNs >= LONG_NS);
      }
      return steps;
    } catch (CorruptException | MismatchException e) {
      throw e; // no other way makes that good
    } catch (IOException | TomboloException e) {
      giveUp(e);
      return 1;
    }
  }

  /** Whether the ends agree. */
  private void settle() throws IOException {
    socket.flush();
    if (choice.state() == State.OPEN && ours.isEmpty()) {
      socket.agree();
      medium.onOpened(joined.peer());
      go(first);
    } else if (choice.state() == State.LEFT && socket.isMute()) {
      throw failure(); // nor would the peer hear what goes by that connection
    } else if (choice.state() == State.LEFT && socket.isFlushed()) {
      second = medium.sockets().messages(joined, sends, receives);
      medium.onLeft(joined.peer(), why(), isForGood);
      go(second);
    } else if (choice.state() == State.OPEN || (socket.isGone() && isWaiting())) {
      throw failure(); // it was open, or the peer's end is closed
    }
  }

  private void go(MessageLink way) {
    settled = way;
    sends.release();
    receives.release();
  }

  /** Else what is tried finds that the peer has gone, and may know more of it. */
  private boolean isWaiting() {
    return choice.state() != State.TRYING || first.isReady();
  }

  private IOException failure() {
    Optional<IOException> broken = socket.broken();
    Optional<String> besides = broken.filter(e -> e != failure).map(TrialLink::besides);
    if (failure instanceof TomboloException known) {
      throw besides.map(known::metBy).orElse(known);
    }
    if (failure instanceof IOException known) {
      return besides.map(more -> new IOException(more + ": " + text(known), known)).orElse(known);
    }
    String why = why();
    String here = why.isEmpty() ? "" : "; here, " + why;
    if (broken.isPresent() && broken.get() instanceof SocketTimeoutException silence) {
      return new IOException(silence.getMessage() + here, silence);
    }
    return new EOFException(
        "the other side closed the connection before it was ready"
            + broken.map(e -> " (" + text(e) + ")").orElse("")
            + (here.isEmpty() ? "; look at its output" : here));
  }

  /** What made this end give up does not tell why it does not go by the connection instead. */
  private static String besides(IOException why) {
    return "the connection by which the ends agree broke ("
        + text(why)
        + "), and what was tried had failed";
  }

  private static String text(Exception e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** What either end has seen. */
  private String why() {
    if (theirs.isEmpty()) {
      return ours;
    }
    return (ours.isEmpty() ? "" : ours + "; ") + "rank " + joined.peer() + " says: " + theirs;
  }

  /** What was tried goes as soon as nothing of it is under way; at the latest with the channel. */
  private void finish() {
    socket.flush();
    try {
      if (parted && !refused && first != null && first.isQuiet()) {
        closeFirst();
      }
    } catch (TomboloException e) {
      refused = true;
      log.debug("what was tried for {} is not freed yet: {}", name(), e.getMessage());
    }
    done = socket.isFlushed() && (!parted || first == null || refused);
  }

  private String name() {
    return "channel " + joined.channelId() + " to rank " + joined.peer();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (done) {
      settled.awaits(wakeUps);
    } else {
      wakeUps.soon();
    }
  }

  @Override
  public boolean isPeerGone() throws IOException {
    return settled.isPeerGone();
  }

  @Override
  public String howPeerWent() {
    return settled.howPeerWent();
  }

  @Override
  public boolean isDrained() {
    return settled == null || settled.isDrained();
  }

  @Override
  public boolean isQuiet() {
    return (first == null || first.isQuiet()) && (second == null || second.isQuiet());
  }

  @Override
  public Optional<String> carrier() {
    return second == null ? Optional.empty() : Optional.of(medium.sockets().name());
  }

  @Override
  public long sentBytes() {
    return settled == null ? 0 : settled.sentBytes();
  }

  @Override
  public long receivedBytes() {
    return settled == null ? 0 : settled.receivedBytes();
  }

  @Override
  public Optional<ProtocolCounters> protocolCounters() {
    return settled == null ? Optional.empty() : settled.protocolCounters();
  }

  @Override
  public long copiedBytes() {
    return settled == null ? 0 : settled.copiedBytes();
  }

  @Override
  public long engineBytes() {
    return settled == null ? 0 : settled.engineBytes();
  }

  @Override
  public long directBytes() {
    return settled == null ? 0 : settled.directBytes();
  }

  @Override
  public void hangUp() {
    try {
      if (first != null && !parted) {
        first.hangUp();
      }
      if (second != null) {
        second.hangUp();
      }
    } finally {
      Sockets.closeQuietly(joined.socket());
    }
  }

  @Override
  public void close() {
    hangUp();
    DoAll.of(this::closeFirst, this::closeSecond);
  }

  private void closeFirst() {
    if (first != null) {
      first.close();
      first = null;
    }
  }

  private void closeSecond() {
    if (second != null) {
      second.close();
      second = null;
    }
  }

  @Override
  public void abandon() {
    DoAll.of(this::abandonFirst, this::abandonSecond, () -> Sockets.closeQuietly(joined.socket()));
  }

  private void abandonFirst() {
    if (first != null) {
      first.abandon();
    }
  }

  private void abandonSecond() {
    if (second != null) {
      second.abandon();
    }
  }
}
