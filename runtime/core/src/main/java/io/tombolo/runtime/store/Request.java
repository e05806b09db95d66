// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * One request of torch's TCPStore protocol: how it is written, and what it does.
 *
 * <p>Keys are the wire's bytes as ISO 8859-1 text, so that any bytes survive. Source of the
 * operations and their numbers: {@code torch/csrc/distributed/c10d/TCPStoreBackend.hpp}, torch
 * 2.13. Their effects are those of torch's libuv server.
 */
@SuppressWarnings("ArrayRecordComponent") // requests are carried, never compared
sealed interface Request {

  /** Appends the operation's number and its fields. */
  void writeTo(WireWriter out);

  /** Does what is asked, and replies if the operation has a reply. */
  void applyTo(StoreEngine engine, StoreEngine.Client client);

  /** The request as bytes. */
  default byte[] toBytes() {
    WireWriter out = new WireWriter();
    writeTo(out);
    return out.toBytes();
  }

  record Set(String key, byte[] value) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.SET).key(key).bytes(value);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.space().set(key, value);
      engine.wake(key);
    }
  }

  record CompareSet(String key, byte[] expected, byte[] desired) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.COMPARE_SET).key(key).bytes(expected).bytes(desired);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().bytes(engine.space().compareSet(key, expected, desired)));
      engine.wake(key);
    }
  }

  record Get(String key) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.GET).key(key);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(engine.values(ImmutableList.of(key)));
    }
  }

  record Add(String key, long delta) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.ADD).key(key).i64(delta);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().i64(engine.space().add(key, delta)));
      engine.wake(key);
    }
  }

  record Check(ImmutableList<String> keys) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.CHECK).keys(keys);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      boolean ready = keys.stream().allMatch(engine.space()::has);
      client.reply(new WireWriter().u8(ready ? StoreProtocol.READY : StoreProtocol.NOT_READY));
    }
  }

  record Wait(ImmutableList<String> keys) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.WAIT).keys(keys);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.await(client, keys);
    }
  }

  record NumKeys() implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.NUM_KEYS);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().i64(engine.space().size()));
    }
  }

  record Delete(String key) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.DELETE).key(key);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().i64(engine.space().delete(key) ? 1 : 0));
    }
  }

  record Append(String key, byte[] value) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.APPEND).key(key).bytes(value);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.space().append(key, value);
      engine.wake(key);
    }
  }

  record MultiGet(ImmutableList<String> keys) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.MULTI_GET).keys(keys);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(engine.values(keys));
    }
  }

  record MultiSet(ImmutableList<Set> entries) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.MULTI_SET).i64(entries.size());
      entries.forEach(entry -> out.key(entry.key()).bytes(entry.value()));
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      entries.forEach(entry -> entry.applyTo(engine, client));
    }
  }

  record CancelWait() implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.CANCEL_WAIT);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.forget(client);
      client.reply(new WireWriter().u8(StoreProtocol.WAIT_CANCELED));
    }
  }

  record Ping(int nonce) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.PING).u32(nonce);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().u32(nonce));
    }
  }

  record QueuePush(String key, byte[] value) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.QUEUE_PUSH).key(key).bytes(value);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.space().push(key, value);
      engine.wakeOne(key);
    }
  }

  record QueuePop(String key) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.QUEUE_POP).key(key);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      WireWriter reply = new WireWriter().i64(engine.space().queueLength(key));
      engine.space().pop(key).ifPresent(reply::bytes);
      client.reply(reply);
    }
  }

  record QueueLength(String key) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.QUEUE_LENGTH).key(key);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().i64(engine.space().queueLength(key)));
    }
  }

  record ListKeys() implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.LIST_KEYS);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      client.reply(new WireWriter().keys(List.copyOf(engine.space().keys())));
    }
  }

  record Barrier(String key, long size) implements Request {
    @Override
    public void writeTo(WireWriter out) {
      out.u8(StoreProtocol.BARRIER).key(key).i64(size);
    }

    @Override
    public void applyTo(StoreEngine engine, StoreEngine.Client client) {
      engine.barrier(client, key, size);
    }
  }
}
