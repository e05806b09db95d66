// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.topology.Topology;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * How two jobs find each other at an address, by their first ranks. That of the job that accepts
 * hosts a store there and says in it how many ranks it has; that of a job that connects leaves its
 * own number, which only one can. Then all ranks of both know where to meet in that store.
 *
 * @param accepting how many ranks the job has that accepts
 * @param connecting how many the other one has
 * @param place where they meet in the store; no other two jobs ever do
 */
record Encounter(int accepting, int connecting, String place) {
  private static final String ACCEPTING = "accepting";
  private static final String CONNECTING = "connecting";

  /** Nobody sets it: whoever waits for it waits until the store ends, or a moment. */
  private static final String NEVER = "never";

  /** How often one looks whether another job has left. */
  private static final Duration LOOK = Duration.ofMillis(200);

  /**
   * Waits in {@code lobby}, the store that this process hosts at {@code address}, until a job
   * connects.
   *
   * @param size how many ranks this job has
   * @throws DeadlineExceededException if none does before {@code deadline}
   */
  static Encounter accept(Store lobby, InetSocketAddress address, int size, Deadline deadline) {
    String place = unique();
    lobby.set(ACCEPTING, said(size, place));
    try {
      return new Encounter(size, sizeIn(lobby.await(CONNECTING, deadline)), place);
    } catch (DeadlineExceededException e) {
      throw new DeadlineExceededException(
          "no job has connected to %s within %s ms; have it call connect with this address and the same token"
              .formatted(text(address), deadline.budgetNs() / 1_000_000),
          e);
    }
  }

  /**
   * Finds the job that accepts at {@code address}; as long as none does, or that is in a connection
   * with another, tries again.
   *
   * @param size how many ranks this job has
   * @throws UnavailableException if nobody accepts there before {@code deadline}
   * @throws DeadlineExceededException if the job there is in another connection until then
   * @throws io.tombolo.base.errors.MismatchException if it does not know {@code token}
   */
  static Encounter connect(InetSocketAddress address, JobToken token, int size, Deadline deadline) {
    byte[] mine = said(size, unique());
    while (true) {
      try (Store lobby = open(address, token, deadline)) {
        byte[] theirs = lobby.await(ACCEPTING, deadline);
        if (Arrays.equals(lobby.compareSet(CONNECTING, new byte[0], mine), mine)) {
          return new Encounter(sizeIn(theirs), size, words(theirs).get(1));
        }
        awaitEnd(lobby, deadline);
      } catch (PeerFailedException e) { // it has given up, or its last connection has ended
        if (deadline.isExpired()) {
          throw absent(address, deadline, e);
        }
      }
    }
  }

  private static Store open(InetSocketAddress address, JobToken token, Deadline deadline) {
    try {
      return TcpStore.connect(address, token, deadline);
    } catch (UnavailableException e) {
      throw absent(address, deadline, e);
    }
  }

  private static UnavailableException absent(
      InetSocketAddress address, Deadline deadline, RuntimeException cause) {
    return new UnavailableException(
        "no job accepts connections at %s within %s ms; have it call accept with this address and the same token"
            .formatted(text(address), deadline.budgetNs() / 1_000_000),
        cause);
  }

  /** Another was first: returns after a moment, so that it can be seen whether it has left. */
  private static void awaitEnd(Store lobby, Deadline deadline) {
    long ns = Math.max(0, Math.min(LOOK.toNanos(), deadline.remainingNs()));
    try {
      byte[] unexpected = lobby.await(NEVER, Deadline.after(Duration.ofNanos(ns)));
      throw new CorruptException(
          "%s holds %s bytes where nobody puts any".formatted(lobby.where(), unexpected.length));
    } catch (DeadlineExceededException e) {
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "the job at %s has been in a connection with another for all of %s ms; wait until that has ended, or have it accept at a second address"
                .formatted(lobby.where(), deadline.budgetNs() / 1_000_000),
            e);
      }
    }
  }

  /** For the other ranks of a job. */
  String text() {
    return accepting + " " + connecting + " " + place;
  }

  /** What {@link #text} has written. */
  static Encounter parse(String text) {
    List<String> words = Splitter.on(' ').limit(3).splitToList(text);
    if (words.size() < 3) {
      throw new CorruptException("'" + text + "' is no encounter of two jobs");
    }
    return new Encounter(size(words.get(0), text), size(words.get(1), text), words.get(2));
  }

  private static String unique() {
    return BaseEncoding.base16().lowerCase().encode(JobToken.nonce());
  }

  private static byte[] said(int size, String place) {
    return (size + " " + place).getBytes(UTF_8);
  }

  private static List<String> words(byte[] said) {
    String text = new String(said, UTF_8);
    List<String> words = Splitter.on(' ').splitToList(text);
    if (words.size() != 2) {
      throw new CorruptException("'" + text + "' is not what a job says of itself");
    }
    return words;
  }

  private static int sizeIn(byte[] said) {
    return size(words(said).get(0), new String(said, UTF_8));
  }

  private static int size(String word, String text) {
    return Optional.ofNullable(Ints.tryParse(word))
        .filter(size -> size >= 1 && size <= Topology.MAX_RANKS)
        .orElseThrow(() -> new CorruptException("'" + text + "' has no number of ranks"));
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }
}
