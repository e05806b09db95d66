// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.Store;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a rank says of itself once it is in the job, for people who look at it from outside: {@link
 * Tlv} fields in the store. No rank relies on it.
 *
 * @param hostName what people call its host
 * @param routes how it reaches each peer it exchanges data with, and why, by peer
 * @param hostOrder why the host keeps the order of its calls, so that they block, if it does
 */
public record Presence(
    String hostName, ImmutableSortedMap<Integer, String> routes, Optional<String> hostOrder) {
  private static final int HOST_NAME = 1;
  private static final int ROUTE = 2;
  private static final int HOST_ORDER = 3;
  private static final String PLACE = "presence";
  private static final String SIZE = "size";

  /** The key with which {@link #announce} says that there is a job. */
  static final String SIZE_KEY = PLACE + "/" + SIZE;

  /** Says how many ranks the job has; rank 0's task, before anything else. */
  public static void announce(Store store, int size) {
    desk(store).set(SIZE, Integer.toString(size).getBytes(UTF_8));
  }

  /** Says that {@code rank} is in. */
  public static void publish(
      Store store,
      int rank,
      String hostName,
      ImmutableMap<Integer, String> routes,
      Optional<String> hostOrder) {
    Presence presence = new Presence(hostName, ImmutableSortedMap.copyOf(routes), hostOrder);
    desk(store).set(Integer.toString(rank), presence.encode());
  }

  /** How many ranks the job has; empty as long as rank 0 has not come. */
  static Optional<Integer> size(Store store) {
    return desk(store).get(SIZE).map(bytes -> number(new String(bytes, UTF_8)));
  }

  /** What {@code rank} said; empty as long as it is not in. */
  static Optional<Presence> of(Store store, int rank) {
    return desk(store).get(Integer.toString(rank)).map(bytes -> decode(bytes, "rank " + rank));
  }

  private static Store desk(Store store) {
    return store.within(PLACE);
  }

  byte[] encode() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Tlv.put(out, HOST_NAME, hostName.getBytes(UTF_8));
    Map<String, RankRanges.Rising> peers = new LinkedHashMap<>();
    routes.forEach(
        (peer, route) -> peers.computeIfAbsent(route, r -> new RankRanges.Rising()).add(peer));
    peers.forEach((route, to) -> Tlv.put(out, ROUTE, (to.text() + " " + route).getBytes(UTF_8)));
    hostOrder.ifPresent(why -> Tlv.put(out, HOST_ORDER, why.getBytes(UTF_8)));
    return out.toByteArray();
  }

  static Presence decode(byte[] bytes, String source) {
    Tlv.Fields fields =
        Tlv.read(
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), "the presence of " + source);
    SortedMap<Integer, String> routes = new TreeMap<>();
    for (byte[] field : fields.all(ROUTE)) {
      String text = new String(field, UTF_8);
      int space = text.indexOf(' ');
      for (int peer : RankRanges.decode(text.substring(0, Math.max(0, space)))) {
        routes.put(peer, text.substring(space + 1));
      }
    }
    return new Presence(
        new String(fields.one(HOST_NAME, "host name"), UTF_8),
        ImmutableSortedMap.copyOfSorted(routes),
        fields.all(HOST_ORDER).stream().findFirst().map(why -> new String(why, UTF_8)));
  }

  private static int number(String text) {
    Integer number = Ints.tryParse(text);
    if (number == null || number < 0) {
      throw new CorruptException("'" + text + "' stands in the store where a number should");
    }
    return number;
  }
}
