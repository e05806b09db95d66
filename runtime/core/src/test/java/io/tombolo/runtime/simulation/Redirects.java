// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** Which of {@link Hooks} is called in place of what. */
final class Redirects {
  /** A static method that is called in place of another. */
  record Target(String name, String descriptor) {}

  private static final String CONCURRENT = "java/util/concurrent/";
  private static final String LOCKS = CONCURRENT + "locks/LockSupport.";
  private static final String NIO = "java/nio/channels/";
  private static final String WAITER = "io/tombolo/base/NativeWaiter.";
  private static final String SET3 = "Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;";

  private static final ImmutableMap<String, String> METHODS =
      ImmutableMap.<String, String>builder()
          .put("java/lang/System.nanoTime()J", "nanoTime")
          .put("java/time/Instant.now()Ljava/time/Instant;", "now")
          .put(
              "com/google/common/base/Ticker.systemTicker()Lcom/google/common/base/Ticker;",
              "systemTicker")
          .put("java/lang/Thread.onSpinWait()V", "onSpinWait")
          .put("java/lang/Thread.yield()V", "onSpinWait")
          .put("java/lang/Thread.interrupted()Z", "interrupted")
          .put("java/lang/Thread.isAlive()Z", "isAlive")
          .put("java/lang/Thread.join(J)V", "join")
          .put("java/lang/Thread.sleep(J)V", "sleep")
          .put("java/lang/Thread.holdsLock(Ljava/lang/Object;)Z", "holdsLock")
          .put(CONCURRENT + "TimeUnit.sleep(J)V", "sleep")
          .put(CONCURRENT + "TimeUnit.timedWait(Ljava/lang/Object;J)V", "timedWait")
          .put(LOCKS + "parkNanos(J)V", "parkNanos")
          .put(LOCKS + "unpark(Ljava/lang/Thread;)V", "unpark")
          .put("java/lang/Object.wait(J)V", "waitOn")
          .put("java/lang/Object.notifyAll()V", "notifyAllOn")
          .put("java/lang/Object.notify()V", "notifyOn")
          .put(CONCURRENT + "ForkJoinPool.execute(Ljava/lang/Runnable;)V", "execute")
          .put(
              CONCURRENT
                  + "Executors.newSingleThreadExecutor(L"
                  + CONCURRENT
                  + "ThreadFactory;)L"
                  + CONCURRENT
                  + "ExecutorService;",
              "newSingleThreadExecutor")
          .put("java/security/SecureRandom.nextBytes([B)V", "nextBytes")
          .put("java/lang/Runtime.availableProcessors()I", "availableProcessors")
          .put("java/lang/ProcessHandle.pid()J", "pid")
          .put("io/tombolo/base/HostId.local()Ljava/lang/String;", "hostId")
          .put(
              "io/tombolo/runtime/equipment/LocalInterface.towards(Ljava/lang/String;I)Ljava/net/InetAddress;",
              "towards")
          .put(
              "java/lang/ref/Cleaner.register(Ljava/lang/Object;Ljava/lang/Runnable;)Ljava/lang/ref/Cleaner$Cleanable;",
              "register")
          .put(NIO + "Selector.open()L" + NIO + "Selector;", "openSelector")
          .put(NIO + "SocketChannel.open()L" + NIO + "SocketChannel;", "openSocket")
          .put(
              NIO + "ServerSocketChannel.open()L" + NIO + "ServerSocketChannel;",
              "openServerSocket")
          .put(WAITER + "open0()J", "waiterOpen")
          .put(WAITER + "watch0(J[II)I", "waiterWatch")
          .put(WAITER + "signal0(J)I", "waiterSignal")
          .put(WAITER + "wait0(JI)I", "waiterWait")
          .put(WAITER + "close0(J)V", "waiterClose")
          .put(WAITER + "descriptor0(Ljava/lang/Object;)I", "waiterDescriptor")
          .put("io/tombolo/rdma/tcp/TcpSystem.unanswered0(I)J", "unanswered")
          .put("java/util/stream/Collectors.toSet()Ljava/util/stream/Collector;", "toSet")
          .put("java/util/Set.copyOf(Ljava/util/Collection;)Ljava/util/Set;", "copyOf")
          .put("java/util/Set.of(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Set;", "setOf")
          .put("java/util/Set.of(" + SET3 + ")Ljava/util/Set;", "setOf")
          .put("java/util/Set.of(" + SET3 + "Ljava/lang/Object;)Ljava/util/Set;", "setOf")
          .buildOrThrow();

  /** Those of which the owner is taken as its superclass. */
  private static final ImmutableMap<String, Target> OTHERS =
      ImmutableMap.<String, Target>builder()
          .put(
              "com/google/common/util/concurrent/SettableFuture.get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;",
              new Target(
                  "get",
                  "(Ljava/util/concurrent/Future;JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;"))
          .put(
              "com/google/common/util/concurrent/Uninterruptibles.getUninterruptibly(Ljava/util/concurrent/Future;Ljava/time/Duration;)Ljava/lang/Object;",
              new Target(
                  "getUninterruptibly",
                  "(Ljava/util/concurrent/Future;Ljava/time/Duration;)Ljava/lang/Object;"))
          .put(
              "java/util/Map.computeIfAbsent(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;",
              new Target(
                  "computeIfAbsent",
                  "(Ljava/util/Map;Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;"))
          .put(
              "java/util/Map.merge(Ljava/lang/Object;Ljava/lang/Object;Ljava/util/function/BiFunction;)Ljava/lang/Object;",
              new Target(
                  "merge",
                  "(Ljava/util/Map;Ljava/lang/Object;Ljava/lang/Object;Ljava/util/function/BiFunction;)Ljava/lang/Object;"))
          .put(
              "com/google/common/cache/LoadingCache.getUnchecked(Ljava/lang/Object;)Ljava/lang/Object;",
              new Target(
                  "getUnchecked",
                  "(Lcom/google/common/cache/LoadingCache;Ljava/lang/Object;)Ljava/lang/Object;"))
          .put(
              CONCURRENT + "ThreadLocal" + "Random.nextLong(J)J",
              new Target("nextLong", "(Ljava/util/Random;J)J"))
          .put(
              "io/tombolo/base/ProcessStat.of(J)Ljava/util/Optional;",
              new Target("noProcess", "(J)Ljava/util/Optional;"))
          .buildOrThrow();

  /** What is made in place of objects of a class. */
  private static final ImmutableMap<String, String> CLASSES =
      ImmutableMap.<String, String>builder()
          .put("java/lang/Thread", name(SimThread.class))
          .put(CONCURRENT + "locks/ReentrantLock", name(SimLock.class))
          .put(CONCURRENT + "LinkedBlockingQueue", name(SimQueue.class))
          .put(CONCURRENT + "FutureTask", name(SimTask.class))
          .put(CONCURRENT + "CompletableFuture", name(SimFuture.class))
          .put("java/net/Socket", name(SimSocket.class))
          .put("java/util/HashMap", "java/util/LinkedHashMap")
          .put("java/util/HashSet", "java/util/LinkedHashSet")
          .buildOrThrow();

  private Redirects() {}

  static String name(Class<?> of) {
    return of.getName().replace('.', '/');
  }

  /** What is called in place of a method, if something is. */
  static Optional<Target> of(String owner, String name, String descriptor, boolean isStatic) {
    String key = owner + "." + name + descriptor;
    String hook = METHODS.get(key);
    if (hook == null) {
      return Optional.ofNullable(OTHERS.get(key));
    }
    String all = isStatic ? descriptor : "(L" + owner + ";" + descriptor.substring(1);
    return Optional.of(new Target(hook, all));
  }

  /** The class of which an object is made in place of {@code owner}. */
  static String made(String owner) {
    return CLASSES.getOrDefault(owner, owner);
  }
}
