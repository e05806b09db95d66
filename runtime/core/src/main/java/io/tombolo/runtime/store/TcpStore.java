// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A connection to a store hosted elsewhere, in torch's TCPStore protocol.
 *
 * <p>Thread-safe. Nobody is behind a wait: it steps aside for other threads' requests, and waits of
 * several threads take turns. An interrupt ends a wait, and nothing else. Operations without a
 * deadline are given the time that connecting was given.
 */
public final class TcpStore implements Store {
  /**
   * A store that is alive answers at once, but for one on a crowded machine: where nobody says how
   * long it may be silent, this is long enough. That its process has ended is heard of at once,
   * whatever this is.
   */
  public static final Duration SILENCE = Duration.ofSeconds(15);

  /** Torch's clients put a slash before every key. */
  private static final String PLAIN = "/";

  /** On a store that torch hosts, our keys stay apart from its own. */
  private static final String FOREIGN = "/tombolo/";

  /** What nobody stores: to replace it by itself changes nothing, and tells what there is. */
  private static final byte[] NO_VALUE = "tombolo: no value".getBytes(StandardCharsets.US_ASCII);

  private final StoreLink link;
  private final String prefix;
  private final Duration patience;
  private final Runnable onClose;
  private final Waits waits = new Waits();

  private TcpStore(StoreLink link, String prefix, Duration patience, Runnable onClose) {
    this.link = link;
    this.prefix = prefix;
    this.patience = patience;
    this.onClose = onClose;
  }

  private TcpStore(
      InetSocketAddress address,
      Optional<JobToken> token,
      String prefix,
      Duration silence,
      Deadline deadline) {
    this(StoreLink.open(address, token, silence, deadline), prefix, deadline);
  }

  private TcpStore(StoreLink link, String prefix, Deadline deadline) {
    this(link, prefix, Duration.ofNanos(deadline.budgetNs()), link::close);
  }

  /**
   * Joins a {@link TcpStoreServer}, each side proving {@code token} to the other; tries until
   * {@code deadline} as long as nobody listens there.
   *
   * @throws io.tombolo.base.errors.UnavailableException if nobody listens there in time
   * @throws io.tombolo.base.errors.MismatchException if the other side does not know the token
   */
  public static TcpStore connect(InetSocketAddress address, JobToken token, Deadline deadline) {
    return connect(address, token, SILENCE, deadline);
  }

  /**
   * As the other.
   *
   * @param silence a store that does not answer for so long is lost; what passes while this process
   *     does not run itself does not count
   */
  public static TcpStore connect(
      InetSocketAddress address, JobToken token, Duration silence, Deadline deadline) {
    return new TcpStore(address, Optional.of(token), PLAIN, silence, deadline);
  }

  /**
   * Joins a store that torch hosts, where everyone can write: values carry a seal made with {@code
   * token}, so that only this job's are believed, and keys begin with {@code tombolo/}.
   *
   * @param silence as for {@link #connect(InetSocketAddress, JobToken, Duration, Deadline)}
   */
  public static Store connectForeign(
      InetSocketAddress address, JobToken token, Duration silence, Deadline deadline) {
    return new SealedStore(
        new TcpStore(address, Optional.empty(), FOREIGN, silence, deadline), token);
  }

  /** Joins a store without handshake as torch's own clients do, and sees all that is in it. */
  public static TcpStore connectPlain(InetSocketAddress address, Deadline deadline) {
    return new TcpStore(address, Optional.empty(), PLAIN, SILENCE, deadline);
  }

  @Override
  public void set(String key, byte[] value) {
    Limits.checkValue(key, value);
    Request request = new Request.Set(wire(key), value);
    link.exchange("set '" + key + "'", patience(), io -> io.ask(request));
  }

  /** In one request: between CHECK and GET another may remove the key, and GET gives nothing. */
  @Override
  public Optional<byte[]> get(String key) {
    Request request = new Request.CompareSet(wire(key), NO_VALUE, NO_VALUE);
    byte[] found = link.exchange("get '" + key + "'", patience(), io -> io.ask(request).bytes());
    return Arrays.equals(found, NO_VALUE) ? Optional.empty() : Optional.of(found);
  }

  @Override
  public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
    if (keys.isEmpty()) {
      return ImmutableList.of();
    }
    ImmutableList<String> names =
        keys.stream().map(this::wire).collect(ImmutableList.toImmutableList());
    Optional<ImmutableList<byte[]>> values = Optional.empty();
    while (values.isEmpty()) {
      if (!link.await(new Request.Wait(names), "wait for " + Keys.quoted(keys), deadline, waits)) {
        Collection<String> missing = missing(keys);
        if (!missing.isEmpty()) { // else the last one came just now
          throw Keys.notSet(missing, where(), deadline);
        }
      }
      values = values(keys, names);
    }
    return values.get();
  }

  /** All of them; nothing if one has been removed since it was there. */
  private Optional<ImmutableList<byte[]>> values(Collection<String> keys, List<String> names) {
    List<byte[]> found =
        link.exchange(
            "get " + Keys.quoted(keys),
            patience(),
            io -> {
              io.ask(new Request.MultiGet(ImmutableList.copyOf(names)));
              List<byte[]> each = new ArrayList<>(names.size());
              for (int i = 0; i < names.size(); i++) {
                each.add(io.bytes());
              }
              return each;
            });
    int index = 0;
    for (String key : keys) {
      if (found.get(index).length == 0) { // empty, or not there any more
        Optional<byte[]> value = get(key);
        if (value.isEmpty()) {
          return Optional.empty();
        }
        found.set(index, value.get());
      }
      index++;
    }
    return Optional.of(ImmutableList.copyOf(found));
  }

  @Override
  public long add(String key, long delta) {
    Request request = new Request.Add(wire(key), delta);
    return link.exchange("add to '" + key + "'", patience(), io -> io.ask(request).i64());
  }

  @Override
  public byte[] compareSet(String key, byte[] expected, byte[] desired) {
    Limits.checkValue(key, expected);
    Limits.checkValue(key, desired);
    Request request = new Request.CompareSet(wire(key), expected, desired);
    return link.exchange(
        "compare and set '" + key + "'", patience(), io -> io.ask(request).bytes());
  }

  @Override
  public boolean delete(String key) {
    Request request = new Request.Delete(wire(key));
    return link.exchange("delete '" + key + "'", patience(), io -> io.ask(request).i64() > 0);
  }

  /** All keys that there are now. */
  public ImmutableList<String> keys() {
    return link
        .exchange("list the keys", patience(), io -> io.ask(new Request.ListKeys()).keys())
        .stream()
        .filter(key -> key.startsWith(prefix))
        .map(key -> unwired(key.substring(prefix.length())))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public void endWaits(String why) {
    waits.end(why);
    link.wake();
  }

  @Override
  public Store borrowed() {
    return new TcpStore(link, prefix, patience, () -> {});
  }

  @Override
  public String where() {
    return link.where();
  }

  @Override
  public void close() {
    onClose.run(); // says why waits end, where the connection ends too
    waits.close();
    link.wake();
  }

  private List<String> missing(Collection<String> keys) {
    return keys.stream().filter(key -> get(key).isEmpty()).toList();
  }

  private Deadline patience() {
    return Deadline.after(patience);
  }

  /** A key as it is sent: the UTF-8 bytes after the prefix. */
  private String wire(String key) {
    byte[] bytes = (prefix + key).getBytes(StandardCharsets.UTF_8);
    Limits.checkKey(key, bytes.length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String unwired(String key) {
    return new String(key.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
