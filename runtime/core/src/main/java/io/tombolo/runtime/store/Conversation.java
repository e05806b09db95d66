// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client's reads and writes under one deadline. */
final class Conversation {
  private final SocketLink socket;
  private final Deadline deadline;

  Conversation(SocketLink socket, Deadline deadline) {
    this.socket = socket;
    this.deadline = deadline;
  }

  Conversation ask(Request request) throws IOException {
    socket.send(request.toBytes(), deadline);
    return this;
  }

  byte u8() throws IOException {
    byte answer = socket.receive(1, deadline).get();
    if (answer == (byte) LastWords.MARK) {
      Object unused = socket.receive(Long.BYTES - 1, deadline);
      throw lastWords();
    }
    return answer;
  }

  int u32() throws IOException {
    return socket.receive(Integer.BYTES, deadline).getInt();
  }

  long i64() throws IOException {
    long answer = socket.receive(Long.BYTES, deadline).getLong();
    if (answer == LastWords.MARK) {
      throw lastWords();
    }
    return answer;
  }

  /** Their mark has been read: nothing in them is another mark. */
  private LastWords lastWords() throws IOException {
    long size = socket.receive(Long.BYTES, deadline).getLong();
    if (size < 0 || size > LastWords.REASON_BYTES) {
      throw new CorruptException("the store's last words have " + size + " bytes");
    }
    byte[] reason = socket.receive((int) size, deadline).array();
    return new LastWords(new String(reason, StandardCharsets.UTF_8));
  }

  byte[] bytes() throws IOException {
    long length = i64();
    if (length < 0 || length > Limits.VALUE_BYTES) {
      throw new CorruptException("the store answered with a value of " + length + " bytes");
    }
    return socket.receive((int) length, deadline).array();
  }

  /** Keys, as the wire's bytes in ISO 8859-1. */
  List<String> keys() throws IOException {
    long count = i64();
    if (count < 0 || count > Limits.LISTED_KEYS) {
      throw new CorruptException("the store answered with a list of " + count + " keys");
    }
    List<String> keys = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      byte[] key = bytes();
      if (key.length > Limits.KEY_BYTES) {
        throw new CorruptException("the store listed a key of " + key.length + " bytes");
      }
      keys.add(new String(key, StandardCharsets.ISO_8859_1));
    }
    return keys;
  }
}
