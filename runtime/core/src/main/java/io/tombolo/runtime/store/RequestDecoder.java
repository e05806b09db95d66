// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Takes requests from the bytes of one connection, trusting none of them.
 *
 * <p>Nothing is allocated for bytes that have not arrived. An incomplete request tells how many
 * bytes it has at least, and is not looked at again before that: a peer that sends byte by byte
 * costs no more than one that does not.
 */
final class RequestDecoder {
  private ByteBuffer in;
  private int start;
  private long atLeastBytes = 1;
  private long lengthsToCome;

  /**
   * The next request in {@code input}, a little-endian buffer, whose position moves past it; empty,
   * with the position unmoved, if it is not complete yet.
   *
   * @throws CorruptException if these bytes cannot become a request
   */
  Optional<Request> next(ByteBuffer input) {
    if (input.remaining() < atLeastBytes) {
      return Optional.empty();
    }
    in = input;
    start = input.position();
    lengthsToCome = 0;
    try {
      Request request = request(u8());
      atLeastBytes = 1;
      return Optional.of(request);
    } catch (BufferUnderflowException e) {
      in.position(start);
      return Optional.empty();
    }
  }

  private Request request(byte operation) {
    return switch (operation) {
      case StoreProtocol.SET -> set();
      case StoreProtocol.COMPARE_SET -> new Request.CompareSet(key(), value(), value());
      case StoreProtocol.GET -> new Request.Get(key());
      case StoreProtocol.ADD -> new Request.Add(key(), i64());
      case StoreProtocol.CHECK -> new Request.Check(list(1, this::key));
      case StoreProtocol.WAIT -> new Request.Wait(list(1, this::key));
      case StoreProtocol.NUM_KEYS -> new Request.NumKeys();
      case StoreProtocol.DELETE -> new Request.Delete(key());
      case StoreProtocol.APPEND -> new Request.Append(key(), value());
      case StoreProtocol.MULTI_GET -> new Request.MultiGet(list(1, this::key));
      case StoreProtocol.MULTI_SET -> new Request.MultiSet(list(2, this::set));
      case StoreProtocol.CANCEL_WAIT -> new Request.CancelWait();
      case StoreProtocol.PING -> new Request.Ping(u32());
      case StoreProtocol.QUEUE_PUSH -> new Request.QueuePush(key(), value());
      case StoreProtocol.QUEUE_POP -> new Request.QueuePop(key());
      case StoreProtocol.QUEUE_LENGTH -> new Request.QueueLength(key());
      case StoreProtocol.LIST_KEYS -> new Request.ListKeys();
      case StoreProtocol.BARRIER -> new Request.Barrier(key(), i64());
      default -> throw new CorruptException("no store operation has the number " + operation);
    };
  }

  private Request.Set set() {
    return new Request.Set(key(), value());
  }

  /** A counted list whose items carry {@code lengthsPerItem} lengths each. */
  private <T> ImmutableList<T> list(int lengthsPerItem, Supplier<T> item) {
    long count = i64();
    if (count < 0 || count > Limits.KEYS_PER_REQUEST) {
      throw new CorruptException("a request of " + count + " keys");
    }
    lengthsToCome = count * lengthsPerItem;
    require(0);
    ImmutableList.Builder<T> items = ImmutableList.builder();
    for (long i = 0; i < count; i++) {
      items.add(item.get());
    }
    return items.build();
  }

  private String key() {
    return new String(bytes("key", Limits.KEY_BYTES), StandardCharsets.ISO_8859_1);
  }

  private byte[] value() {
    return bytes("value", Limits.VALUE_BYTES);
  }

  private byte[] bytes(String what, int limitBytes) {
    lengthsToCome = Math.max(0, lengthsToCome - 1);
    long length = i64();
    if (length < 0 || length > limitBytes) {
      throw new CorruptException("a " + what + " of " + length + " bytes");
    }
    require(length);
    byte[] bytes = new byte[(int) length];
    in.get(bytes);
    return bytes;
  }

  private byte u8() {
    require(1);
    return in.get();
  }

  private int u32() {
    require(4);
    return in.getInt();
  }

  private long i64() {
    require(Long.BYTES);
    return in.getLong();
  }

  /** Asks that {@code sizeBytes} and all lengths known to follow have arrived. */
  private void require(long sizeBytes) {
    long ahead = sizeBytes + Long.BYTES * lengthsToCome;
    atLeastBytes = in.position() - start + ahead;
    if (atLeastBytes > Limits.REQUEST_BYTES) {
      throw new CorruptException("a request of at least " + atLeastBytes + " bytes");
    }
    if (in.remaining() < ahead) {
      throw new BufferUnderflowException();
    }
  }
}
