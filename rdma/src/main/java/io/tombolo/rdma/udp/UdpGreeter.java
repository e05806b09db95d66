// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static io.tombolo.rdma.udp.Greeting.HELLO;
import static io.tombolo.rdma.udp.Greeting.PROOF;
import static io.tombolo.rdma.udp.Greeting.WELCOME;

import com.google.common.primitives.Bytes;
import io.tombolo.base.JobToken;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.Hello;
import io.tombolo.rdma.staged.Refusals;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Receives diallers, and parks connections whose channel nobody here has asked for yet.
 *
 * <p>Strangers cost no memory: a hello is answered with a nonce that is computed from it, so that
 * nothing is remembered until the dialler has proved the token.
 */
final class UdpGreeter {
  private static final int MAX_PARKED = 1024;
  private static final int MAX_SPENT = 4096;

  private final FabricSettings settings;
  private final SlotGeometry geometry;
  private final GreetingProofs proofs;
  private final UdpTransmitter transmitter;
  private final UdpConnections connections;
  private final Refusals refusals;
  private final UdpCounters counters;
  private final JobToken secret = JobToken.random();
  private final Map<Key, UdpConnection> parked = new HashMap<>();

  /** Connections there have been: a PROOF that is played again opens nothing. */
  private final Map<Integer, Key> spent =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Key> eldest) {
          return size() > MAX_SPENT;
        }
      };

  UdpGreeter(
      FabricSettings settings,
      SlotGeometry geometry,
      GreetingProofs proofs,
      UdpTransmitter transmitter,
      UdpConnections connections,
      UdpCounters counters) {
    this.settings = settings;
    this.geometry = geometry;
    this.proofs = proofs;
    this.transmitter = transmitter;
    this.connections = connections;
    this.counters = counters;
    refusals = new Refusals(settings.rank(), "udp");
  }

  /** The connection that {@code peer} has opened for {@code channelId}, now the caller's. */
  Optional<UdpConnection> take(int peer, long channelId) {
    return parked.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(parked.remove(new Key(peer, channelId)));
  }

  /** What became of diallers that were turned away, for error messages. */
  String refusals() {
    return refusals.toString();
  }

  /** Keeps parked connections alive; how much there was to do. */
  int progress(long nowNs) {
    if (parked.isEmpty()) {
      return 0; // an iterator each time would be garbage
    }
    int steps = 0;
    for (UdpConnection connection : parked.values()) {
      steps += connection.linger(nowNs);
    }
    return steps;
  }

  /** As {@link UdpConnection#awaits}, of those parked. */
  void awaits(WakeUps wakeUps, long nowNs) {
    parked.values().forEach(connection -> connection.awaits(wakeUps, nowNs));
  }

  /** Says goodbye to whoever waits here in vain. */
  void close(long nowNs) {
    parked.values().forEach(connection -> connections.retire(connection, nowNs));
    parked.clear();
  }

  /** A HELLO or a PROOF has come from {@code source}. */
  void onGreeting(Greeting heard, UdpPath source, long nowNs) {
    try {
      Hello hello = Hello.decode(heard.hello());
      byte[] own = ownHello(heard, hello, source);
      if (heard.type() == HELLO && hello.peer() == settings.rank()) {
        answer(heard, own, source); // who speaks another version can tell by our hello
      }
      hello.checked("udp", settings.rank());
      if (heard.type() == PROOF) {
        admit(heard, hello, own, source, nowNs);
      } else if (heard.type() != HELLO) {
        counters.strangers++;
      }
    } catch (TomboloException e) {
      counters.refused++;
      refusals.add(e);
    }
  }

  /** Always the same for the same dialler, so that it need not be kept. */
  private byte[] ownHello(Greeting heard, Hello hello, UdpPath source) {
    byte[] nonce = secret.seal("nonce", Bytes.concat(heard.hello(), source.address().toBytes()));
    return Hello.of(settings.rank(), hello.rank(), hello.channelId(), geometry).encode(nonce);
  }

  private void answer(Greeting heard, byte[] own, UdpPath source) {
    byte[] proof = proofs.proof("listener", heard.hello(), own);
    int longest = UdpConnection.packetBytes(geometry.payloadBytes());
    say(Greeting.answer(own, proof, heard, longest), source);
  }

  private void admit(Greeting heard, Hello hello, byte[] own, UdpPath source, long nowNs) {
    if (!proofs.accepts(heard.proof(), "dialler", heard.hello(), own)) {
      throw new MismatchException(
          "the dialler claims to be rank "
              + hello.rank()
              + " but does not hold this job's token; give all ranks the same token");
    }
    int id = proofs.connection(heard.hello(), own);
    Key key = new Key(hello.rank(), hello.channelId());
    if (connections.find(id, source.address()) == null) {
      open(id, key, source, geometry.meet(hello.geometry()), nowNs);
    }
    say(Greeting.of(WELCOME, own, proofs.proof("welcome", heard.hello(), own)), source);
  }

  private void open(int id, Key key, UdpPath source, SlotGeometry agreed, long nowNs) {
    if (spent.containsKey(id)) {
      throw new CorruptException("rank " + key.peer + " opens a connection that is over");
    }
    if (parked.containsKey(key) || parked.size() == MAX_PARKED) {
      throw new CorruptException("rank " + key.peer + " has too many connections parked");
    }
    spent.put(id, key);
    parked.put(key, connections.open(id, source, key.peer, agreed, nowNs));
  }

  /** No room is like a packet lost: the dialler asks again. */
  private void say(Greeting words, UdpPath to) {
    if (!transmitter.packet(to, words.toPacket())) {
      counters.slotsExhausted++;
    }
  }

  private record Key(int peer, long channelId) {}
}
