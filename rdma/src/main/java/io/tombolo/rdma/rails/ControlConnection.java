// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.WakeUps;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Sockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries {@link ControlWord}s over the socket that the two sides proved themselves on. */
final class ControlConnection {
  /** Told of the words that have come. */
  interface Listener {
    /** A word, whose ranges are next in {@code ranges}; whether to hear on. */
    boolean onWord(ControlWord word, ByteBuffer ranges);
  }

  private static final Logger log = LoggerFactory.getLogger(ControlConnection.class);

  /** Room for all words but states, which come with failures only. */
  private static final int USUAL_BYTES =
      ControlWord.HEADER_BYTES + RailsAddress.MAX_RAILS * ControlWord.RANGE_BYTES;

  /** A peer that goes on speaking, or takes nothing, is not waited for. */
  private static final int LAST_CALLS = 64;

  private final PeerSocket socket;
  private final Listener listener;
  private final ControlWord word = new ControlWord();
  private ByteBuffer out = buffer(USUAL_BYTES).limit(0);
  private ByteBuffer in = buffer(USUAL_BYTES).limit(ControlWord.HEADER_BYTES);
  private boolean hasHeader;
  private boolean isMute;
  private boolean gone;

  ControlConnection(PeerSocket socket, Listener listener) {
    this.socket = socket;
    this.listener = listener;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Whether all that was said has left, or never will. */
  boolean isFlushed() {
    return !out.hasRemaining() || isMute;
  }

  /** Whether the peer's end is closed, or its process has ended. */
  boolean isGone() {
    return gone;
  }

  /** Says a word without ranges. */
  void say(byte type, int epoch, int live, long received) {
    begin(type, 0, epoch, live, received);
    end();
  }

  /** Says what the messages of {@code receives} lack. */
  void sayState(int epoch, int live, Stripes receives) {
    long done = receives.done();
    begin(ControlWord.STATE, (int) (receives.taken() - done), epoch, live, done);
    for (long number = done; number < receives.taken(); number++) {
      StripedMessage message = receives.message(number);
      out.putLong(message.isWhole() ? ControlWord.NOTHING : message.from());
      out.putLong(message.isWhole() ? ControlWord.NOTHING : message.to());
    }
    end();
  }

  /** Says how many stripes have arrived over each rail, and of those that miss some, were due. */
  void sayExpected(int epoch, int live, Stripes receives, Overdue overdue) {
    begin(ControlWord.EXPECTED, receives.rails(), epoch, live, receives.done());
    for (int rail = 0; rail < receives.rails(); rail++) {
      Rides rides = receives.rides(rail);
      out.putLong(overdue.isMissing(rail) ? rides.given() : rides.arrived());
      out.putLong(rides.arrived());
    }
    overdue.remember();
    end();
  }

  /** Says which rails belong together, and how messages are cut. */
  void sayPairs(int live, RailsRoute route) {
    begin(ControlWord.PAIRS, route.count(), 0, live, route.stripeBytes());
    route.pairs().forEach(pair -> pair.write(out));
    end();
  }

  /** Makes room behind what has not left yet. */
  private void begin(byte type, int ranges, int epoch, int live, long received) {
    int bytes = ControlWord.HEADER_BYTES + ranges * ControlWord.RANGE_BYTES;
    if (out.capacity() - out.remaining() < bytes) {
      out = buffer(out.remaining() + bytes).put(out);
    } else {
      out.compact();
    }
    ControlWord.put(out, type, ranges, epoch, live, received);
  }

  private void end() {
    out.flip();
    flush();
  }

  /** Sends what is to be said; whether something was. */
  boolean flush() {
    if (isFlushed()) {
      return false;
    }
    try {
      return socket.write(out) > 0;
    } catch (IOException e) {
      log.debug("a control connection takes no more words: {}", e.toString());
      isMute = true; // what the peer said before it went is still to be read
      return false;
    }
  }

  /**
   * Hears the peer, until it has said nothing more or is to wait; how many words came. Unless
   * {@code mayTell}, only the end of the connection is noticed. A system call.
   */
  int listen(boolean mayTell) {
    int heard = 0;
    boolean goesOn = mayTell;
    while (isNextHere() && goesOn) {
      if (hasHeader) {
        hasHeader = false;
        heard++;
        goesOn = listener.onWord(word, in.flip());
        in.clear().limit(ControlWord.HEADER_BYTES);
      } else {
        hasHeader = true;
        word.read(in.flip());
        in = in.capacity() < word.rangesBytes() ? buffer(word.rangesBytes()) : in;
        in.clear().limit(word.rangesBytes());
      }
    }
    return heard;
  }

  /** Whether the header, or what follows it, is here. */
  private boolean isNextHere() {
    try {
      if (in.hasRemaining() && !gone && socket.read(in) < 0) {
        gone = true;
      }
    } catch (IOException e) {
      log.debug("a control connection has ended: {}", e.toString());
      gone = true; // a reset ends it as well
    }
    return !gone && !in.hasRemaining();
  }

  /** Wakes up whoever sleeps when the peer says something. */
  void awaits(WakeUps wakeUps) {
    if (!isFlushed()) {
      wakeUps.soon();
    } else if (!gone) {
      socket.awaits(wakeUps);
    }
  }

  /**
   * Says what there is to say and closes this end, with nothing unread that would make it a reset.
   */
  void close() {
    for (int i = 0; i < LAST_CALLS && !isFlushed(); i++) {
      flush();
    }
    try {
      for (int i = 0; i < LAST_CALLS && !gone && socket.read(in.clear()) > 0; i++) {
        log.trace("a word came too late");
      }
    } catch (IOException e) {
      log.debug("a control connection has ended: {}", e.toString());
    }
    Sockets.closeQuietly(socket);
  }
}
