// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import com.google.common.base.Ticker;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/**
 * What rewritten code calls in place of what would reach the machine: {@link Redirects} says what
 * of it in place of what. Outside of a simulation, where classes are initialized, it is the
 * machine.
 */
public final class Hooks {
  private Hooks() {}

  private static World world() {
    return SimThread.here().world;
  }

  /** Of {@code monitorenter}, and of synchronized methods. */
  public static void enter(Object object) {
    if (SimThread.isHere()) {
      world().monitors().enter(object);
    }
  }

  /** Of {@code monitorexit}, and of synchronized methods. */
  public static void exit(Object object) {
    if (SimThread.isHere()) {
      world().monitors().exit(object);
    }
  }

  public static boolean holdsLock(Object object) {
    return SimThread.isHere() && world().monitors().holds(object);
  }

  public static void waitOn(Object object, long ms) throws InterruptedException {
    world().monitors().await(object, ms);
  }

  public static void timedWait(TimeUnit unit, Object object, long time)
      throws InterruptedException {
    if (time > 0) {
      waitOn(object, Math.max(1, unit.toMillis(time)));
    }
  }

  public static void notifyAllOn(Object object) {
    if (SimThread.isHere()) {
      world().monitors().notifyAll(object);
    }
  }

  public static void notifyOn(Object object) {
    if (SimThread.isHere()) {
      world().monitors().notifyOne(object);
    }
  }

  /** What else threads share: atomic variables, lock-free queues. */
  public static void point() {
    if (SimThread.isHere()) {
      world().point();
    }
  }

  public static long nanoTime() {
    return SimThread.isHere() ? world().readClock() : System.nanoTime();
  }

  public static Instant now() {
    return SimThread.isHere() ? Instant.ofEpochSecond(0, world().readClock()) : Instant.now();
  }

  public static Ticker systemTicker() {
    return new Ticker() {
      @Override
      public long read() {
        return nanoTime();
      }
    };
  }

  public static void onSpinWait() {
    if (SimThread.isHere()) {
      world().spin();
    }
  }

  public static void parkNanos(long ns) {
    if (ns > 0) {
      SimThread mine = SimThread.here();
      long untilNs = mine.world.nowNs() + Math.min(ns, Long.MAX_VALUE / 4);
      mine.world.await("park", () -> mine.permit || mine.interrupted, untilNs);
      mine.permit = false;
    }
  }

  public static void unpark(Thread thread) {
    if (thread instanceof SimThread other) {
      other.permit = true;
      other.world.stir();
      other.world.point();
    }
  }

  public static boolean interrupted() {
    return SimThread.isHere() && SimThread.here().takeInterrupt();
  }

  public static boolean isAlive(Thread thread) {
    return thread instanceof SimThread other ? other.alive : thread.isAlive();
  }

  public static void join(Thread thread, long ms) throws InterruptedException {
    SimThread mine = SimThread.here();
    SimThread other = (SimThread) thread;
    long untilNs = ms == 0 ? Long.MAX_VALUE : mine.world.nowNs() + ms * 1_000_000;
    mine.world.await("join", () -> !other.alive || mine.interrupted, untilNs);
    throwIfInterrupted(mine);
  }

  public static void sleep(long ms) throws InterruptedException {
    sleepNs(ms * 1_000_000);
  }

  public static void sleep(TimeUnit unit, long time) throws InterruptedException {
    sleepNs(unit.toNanos(time));
  }

  private static void sleepNs(long ns) throws InterruptedException {
    SimThread mine = SimThread.here();
    mine.world.await("sleep", () -> mine.interrupted, mine.world.nowNs() + ns);
    throwIfInterrupted(mine);
  }

  static void throwIfInterrupted(SimThread mine) throws InterruptedException {
    if (mine.takeInterrupt()) {
      throw new InterruptedException();
    }
  }

  public static <T> T get(Future<T> future, long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    SimThread mine = SimThread.here();
    long untilNs = mine.world.nowNs() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 4);
    mine.world.await("get", () -> future.isDone() || mine.interrupted, untilNs);
    if (!future.isDone()) {
      throwIfInterrupted(mine);
      throw new TimeoutException();
    }
    return future.get();
  }

  public static <T> T getUninterruptibly(Future<T> future, Duration limit)
      throws ExecutionException, TimeoutException {
    SimThread mine = SimThread.here();
    long untilNs = mine.world.nowNs() + Math.min(limit.toNanos(), Long.MAX_VALUE / 4);
    mine.world.await("get", future::isDone, untilNs);
    if (!future.isDone()) {
      throw new TimeoutException();
    }
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static ExecutorService newSingleThreadExecutor(ThreadFactory factory) {
    return new SimExecutor(factory);
  }

  public static void execute(ForkJoinPool pool, Runnable task) {
    new SimThread(task, "pool").start();
  }

  public static long nextLong(Random unused, long bound) {
    return (long) (world().random().nextDouble() * bound);
  }

  public static void nextBytes(SecureRandom random, byte[] bytes) {
    if (SimThread.isHere()) {
      world().random().nextBytes(bytes);
    } else {
      random.nextBytes(bytes);
    }
  }

  public static int availableProcessors(Runtime runtime) {
    return SimThread.isHere() ? world().processors() : runtime.availableProcessors();
  }

  public static long pid(ProcessHandle handle) {
    return SimThread.isHere() ? SimThread.here().process.pid() : handle.pid();
  }

  public static String hostId() {
    return SimThread.here().process.hostId();
  }

  /** Where peers reach this process. */
  public static InetAddress towards(String host, int port) {
    return SimThread.here().process.address();
  }

  /** No process of a simulation is one of this machine's. */
  public static <T> Optional<T> noProcess(long pid) {
    return Optional.empty();
  }

  /** The garbage collector is not simulated. */
  public static Cleaner.Cleanable register(Cleaner cleaner, Object object, Runnable action) {
    return () -> {};
  }

  /** What has been allocated is freed at the end, whoever was killed. */
  public static void allocated(AutoCloseable memory) {
    if (SimThread.isHere()) {
      world().memory().add(memory);
    }
  }

  public static boolean isDoomed() {
    return SimThread.isHere() && SimThread.here().doomed;
  }

  public static int hash(Object object) {
    return SimThread.isHere() ? world().newHash(object) : System.identityHashCode(object);
  }

  public static Selector openSelector() {
    return new SimSelector(SimThread.here());
  }

  public static SocketChannel openSocket() {
    return new SimSocketChannel(SimThread.here());
  }

  public static ServerSocketChannel openServerSocket() {
    return new SimServerSocketChannel(SimThread.here());
  }

  public static long waiterOpen() {
    return world().network().openWaiter();
  }

  public static int waiterWatch(long handle, int[] descriptors, int count) {
    return world().network().waiter(handle).watch(descriptors, count);
  }

  public static int waiterSignal(long handle) {
    return world().network().waiter(handle).signal();
  }

  public static int waiterWait(long handle, int timeoutMs) {
    return world().network().waiter(handle).await(timeoutMs);
  }

  public static void waiterClose(long handle) {
    world().network().closeWaiter(handle);
  }

  public static int waiterDescriptor(Object channel) {
    return channel instanceof SelectableChannel selectable
        ? world().network().descriptorOf(selectable)
        : -1;
  }

  /** Of {@code TcpSystem}: 0, or 1 and for how many milliseconds the other end does not answer. */
  public static long unanswered(int descriptor) {
    return ((SimSocketChannel) world().network().channel(descriptor)).unanswered();
  }

  /** The JVM holds a lock of its own while a class is initialized. */
  public static void beginInitialization() {
    if (SimThread.isHere()) {
      world().beginUnbroken();
    }
  }

  public static void endInitialization() {
    if (SimThread.isHere()) {
      world().endUnbroken();
    }
  }

  public static <K, V> V computeIfAbsent(Map<K, V> map, K key, Function<K, V> function) {
    return unbroken(() -> map.computeIfAbsent(key, function));
  }

  public static <K, V> V merge(Map<K, V> map, K key, V value, BiFunction<V, V, V> function) {
    return unbroken(() -> map.merge(key, value, function));
  }

  public static <K, V> V getUnchecked(com.google.common.cache.LoadingCache<K, V> cache, K key) {
    return unbroken(() -> cache.getUnchecked(key));
  }

  /** The JDK, or Guava, holds a lock of its own in it. */
  private static <T> T unbroken(java.util.function.Supplier<T> action) {
    if (!SimThread.isHere()) {
      return action.get();
    }
    World world = world();
    world.beginUnbroken();
    try {
      return action.get();
    } finally {
      world.endUnbroken();
    }
  }

  public static <T> Collector<T, ?, Set<T>> toSet() {
    return Collectors.toCollection(LinkedHashSet::new);
  }

  public static Set<Object> setOf(Object a, Object b) {
    return copyOf(List.of(a, b));
  }

  public static Set<Object> setOf(Object a, Object b, Object c) {
    return copyOf(List.of(a, b, c));
  }

  public static Set<Object> setOf(Object a, Object b, Object c, Object d) {
    return copyOf(List.of(a, b, c, d));
  }

  public static Set<Object> copyOf(Collection<Object> elements) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(elements));
  }
}
