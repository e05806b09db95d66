// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a store server does, without its sockets, for many threads of this process: who waits is
 * woken alone. Counts what each client asks for.
 */
public final class EngineStore {
  private final ReentrantLock lock = new ReentrantLock();
  private final MemoryBudget budget = new MemoryBudget(Limits.SERVER_BYTES);
  private final StoreEngine engine = new StoreEngine(budget);

  /** What a client has asked for so far. */
  public static final class Count {
    private long operations;
    private long bytesRead;

    /** Keys that it has set, asked for, waited for or removed, each time counted. */
    public long operations() {
      return operations;
    }

    /** Bytes of the values that it was given. */
    public long bytesRead() {
      return bytesRead;
    }
  }

  /** A client of it, whose operations are counted in {@code count}. */
  public Store client(Count count) {
    return new Client(count);
  }

  /** What its keys and values take. */
  public long heldBytes() {
    lock.lock();
    try {
      return budget.heldBytes();
    } finally {
      lock.unlock();
    }
  }

  private final class Client implements Store, StoreEngine.Client {
    private final Count count;
    private final Condition turn = lock.newCondition();
    private boolean isOver;

    Client(Count count) {
      this.count = count;
    }

    @Override
    public void reply(WireWriter message) {
      isOver = true;
      turn.signal();
    }

    @Override
    public void set(String key, byte[] value) {
      lock.lock();
      try {
        count.operations++;
        Limits.checkValue(key, value);
        engine.space().set(key, value);
        engine.wake(key);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Optional<byte[]> get(String key) {
      lock.lock();
      try {
        count.operations++;
        Optional<byte[]> value = engine.space().get(key);
        value.ifPresent(bytes -> count.bytesRead += bytes.length);
        return value;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public ImmutableList<byte[]> awaitAll(Collection<String> keys, Deadline deadline) {
      lock.lock();
      try {
        count.operations += keys.size();
        isOver = false;
        engine.await(this, List.copyOf(keys));
        while (!isOver) {
          if (turn.awaitNanos(deadline.remainingNs()) <= 0 && !isOver) {
            engine.forget(this);
            Set<String> missing = new HashSet<>(keys);
            missing.removeIf(engine.space()::has);
            throw Keys.notSet(List.copyOf(missing), where(), deadline);
          }
        }
        ImmutableList.Builder<byte[]> values = ImmutableList.builder();
        for (String key : keys) {
          byte[] value = engine.space().get(key).orElseThrow();
          count.bytesRead += value.length;
          values.add(value);
        }
        return values.build();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AbortedException("interrupted", e);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long add(String key, long delta) {
      lock.lock();
      try {
        count.operations++;
        long sum = engine.space().add(key, delta);
        engine.wake(key);
        return sum;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public byte[] compareSet(String key, byte[] expected, byte[] desired) {
      lock.lock();
      try {
        count.operations++;
        byte[] now = engine.space().compareSet(key, expected, desired);
        engine.wake(key);
        return now;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean delete(String key) {
      lock.lock();
      try {
        count.operations++;
        return engine.space().delete(key);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void endWaits(String why) {
      throw new UnsupportedOperationException("nothing fails here: " + why);
    }

    @Override
    public String where() {
      return "the engine of a store";
    }

    @Override
    public void close() {}
  }
}
