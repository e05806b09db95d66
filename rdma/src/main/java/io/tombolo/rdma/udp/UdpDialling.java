// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static io.tombolo.rdma.udp.Greeting.ANSWER;
import static io.tombolo.rdma.udp.Greeting.PROOF;
import static io.tombolo.rdma.udp.Greeting.WELCOME;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.Hello;
import java.util.Arrays;
import java.util.List;

/**
 * Says hello to all addresses of a peer until one answers, each time longer apart; with shorter
 * packets when the long ones may not get through.
 *
 * <pre>
 *  GREETING --(ANSWER, proved)--> PROVING --(WELCOME, proved)--> WELCOME
 *   HELLO, repeated                PROOF, repeated
 * </pre>
 */
final class UdpDialling {
  private static final long FIRST_PAUSE_NS = 20_000_000;
  private static final int MAX_DOUBLINGS = 4;
  private static final int TRIES_PER_LENGTH = 4;

  /** Of these, those with packets that routers may mark, which some paths drop. */
  private static final int TRIES_WITH_MARKS = 2;

  /** Payloads that fit where 1500 bytes do, and where only IPv6's least 1280 do. */
  private static final ImmutableList<Integer> SHORTER = ImmutableList.of(1408, 1152);

  private final GreetingProofs proofs;
  private final UdpTransmitter transmitter;
  private final ImmutableList<UdpAddress> candidates;
  private final int rank;
  private final int peer;
  private final long channelId;
  private SlotGeometry geometry;
  private byte[] hello;
  private Greeting next;
  private Greeting answer;
  private UdpPath path;
  private int tries;
  private int doublings;
  private boolean welcome;
  private boolean begun;
  private long dueNs;

  UdpDialling(
      GreetingProofs proofs,
      UdpTransmitter transmitter,
      ImmutableList<UdpAddress> candidates,
      Hello first) {
    this.proofs = proofs;
    this.transmitter = transmitter;
    this.candidates = candidates;
    rank = first.rank();
    peer = first.peer();
    channelId = first.channelId();
    propose(first.geometry());
  }

  private void propose(SlotGeometry newGeometry) {
    geometry = newGeometry;
    hello = Hello.of(rank, peer, channelId, geometry).encode(JobToken.nonce());
    next = Greeting.hello(hello, UdpConnection.packetBytes(geometry.payloadBytes()));
    tries = 0;
  }

  /** Repeats what is due; how many packets went out. */
  int progress(long nowNs) {
    if (welcome || (begun && nowNs - dueNs < 0)) {
      return 0;
    }
    begun = true;
    if (path == null && ++tries > TRIES_PER_LENGTH) {
      shorten();
    }
    dueNs = nowNs + (FIRST_PAUSE_NS << doublings);
    doublings = Math.min(doublings + 1, MAX_DOUBLINGS);
    int sent = 0;
    for (UdpPath to : ways()) {
      sent += transmitter.packet(to, next.toPacket()) ? 1 : 0;
    }
    return sent;
  }

  /** The listener answers as it is addressed, so its answer shows what gets through. */
  private List<UdpPath> ways() {
    if (path != null) {
      return List.of(path);
    }
    boolean marks = (tries - 1) % TRIES_PER_LENGTH < TRIES_WITH_MARKS;
    return candidates.stream().map(to -> new UdpPath(to, marks)).toList();
  }

  private void shorten() {
    SHORTER.stream()
        .filter(payload -> payload < geometry.payloadBytes())
        .findFirst()
        .ifPresent(
            payload -> {
              propose(new SlotGeometry(geometry.slots(), payload));
              doublings = 0;
            });
  }

  /** An ANSWER or a WELCOME may have come from {@code source}; whether it was for this end. */
  boolean onGreeting(Greeting heard, UdpPath source, long nowNs) {
    if (heard.type() == ANSWER && Arrays.equals(heard.echo(), nonce())) {
      if (path == null) {
        onAnswer(heard, source, nowNs);
      }
      return true;
    }
    if (heard.type() == WELCOME && path != null && Arrays.equals(heard.hello(), answer.hello())) {
      welcome |= proofs.accepts(heard.proof(), "welcome", hello, heard.hello());
      return true;
    }
    return false;
  }

  private byte[] nonce() {
    return Greeting.hello(hello, 0).nonce();
  }

  /** Who knows our nonce has received our hello: its answer counts, good or bad. */
  private void onAnswer(Greeting heard, UdpPath source, long nowNs) {
    Hello from = Hello.decode(heard.hello()).checked("udp", rank);
    next = Greeting.of(PROOF, hello, proofs.proof("dialler", hello, heard.hello()));
    if (!proofs.accepts(heard.proof(), "listener", hello, heard.hello())) {
      transmitter.packet(source, next.toPacket()); // so that the other side can say it, too
      throw new MismatchException(
          "the listener claims to be rank "
              + peer
              + " but does not hold this job's token; give all ranks the same token");
    }
    if (from.rank() != peer || from.channelId() != channelId) {
      throw new MismatchException(
          "rank "
              + peer
              + " was dialled and rank "
              + from.rank()
              + " answered; an earlier job may still be there, or two processes have one RANK: look"
              + " for them, and start the job again");
    }
    answer = heard;
    path = source;
    geometry = geometry.meet(from.geometry());
    doublings = 0;
    dueNs = nowNs;
    progress(nowNs);
  }

  boolean isWelcome() {
    return welcome;
  }

  /** Where the peer is; once welcome. */
  UdpPath path() {
    return path;
  }

  /** What both sides can do; once welcome. */
  SlotGeometry geometry() {
    return geometry;
  }

  /** The number both sides call the connection; once welcome. */
  int connection() {
    return proofs.connection(hello, answer.hello());
  }

  String doing() {
    return path == null
        ? "nobody answers at " + candidates
        : "it answered at " + path.address() + " but does not go on";
  }
}
