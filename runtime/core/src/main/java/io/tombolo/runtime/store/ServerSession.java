// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The server's side of one conversation, without its socket: handshake, VALIDATE, then requests.
 *
 * <p>Any {@link io.tombolo.base.errors.TomboloException} ends the conversation: the protocol has no
 * way to answer with an error, but for {@link LastWords}.
 */
final class ServerSession implements StoreEngine.Client {
  private enum Phase {
    HELLO,
    PROOF,
    VALIDATE,
    OPEN,
    FULL
  }

  private static final int VALIDATE_BYTES = 5;

  private final StoreEngine engine;
  private final Connections connections;
  private final Optional<JobToken> token;
  private final Consumer<byte[]> output;
  private final RequestDecoder decoder = new RequestDecoder();
  private final byte[] serverNonce = JobToken.nonce();
  private byte[] clientNonce = {};
  private Phase phase;

  /** Whether it is past its first request, a PING, to which it looks for one answer only. */
  private boolean answered;

  /** A conversation that begins with the handshake if there is a token. */
  ServerSession(
      StoreEngine engine,
      Optional<JobToken> token,
      Connections connections,
      Consumer<byte[]> output) {
    this.engine = engine;
    this.connections = connections;
    this.token = token;
    this.output = output;
    this.phase = token.isPresent() ? Phase.HELLO : Phase.VALIDATE;
  }

  /** Handles all complete messages in {@code in}, a little-endian buffer; the rest stays there. */
  void consume(ByteBuffer in) {
    boolean progress = true;
    while (progress) {
      progress =
          switch (phase) {
            case HELLO -> hello(in);
            case PROOF -> proof(in);
            case VALIDATE -> validate(in);
            case OPEN -> request(in);
            case FULL -> refuse(in);
          };
    }
  }

  /** Whether the client has shown who it is. */
  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /** Whether the client, one of ours, looks for {@link LastWords} where an answer would be. */
  boolean hearsLastWords() {
    return answered && token.isPresent();
  }

  @Override
  public void reply(WireWriter message) {
    message.pieces().forEach(output);
  }

  private boolean hello(ByteBuffer in) {
    StoreHandshake.checkMagic(in);
    if (in.remaining() < StoreHandshake.HELLO_BYTES) {
      return false;
    }
    clientNonce = StoreHandshake.clientNonce(in);
    output.accept(StoreHandshake.answer(token.orElseThrow(), clientNonce, serverNonce));
    phase = Phase.PROOF;
    return true;
  }

  private boolean proof(ByteBuffer in) {
    if (in.remaining() < StoreHandshake.PROOF_BYTES) {
      return false;
    }
    if (!StoreHandshake.isClient(
        token.orElseThrow(), StoreHandshake.take(in), clientNonce, serverNonce)) {
      throw new CorruptException("it does not know the job token");
    }
    phase = Phase.VALIDATE;
    return true;
  }

  private boolean validate(ByteBuffer in) {
    if (in.remaining() < VALIDATE_BYTES) {
      return false;
    }
    if (in.get() != StoreProtocol.VALIDATE || in.getInt() != StoreProtocol.VALIDATE_MAGIC) {
      throw new CorruptException("it did not begin as a TCPStore client of torch 2.x does");
    }
    phase = connections.hasRoom() ? Phase.OPEN : Phase.FULL;
    return true;
  }

  /** The protocol has no errors, but the client's first request has an answer. */
  private boolean refuse(ByteBuffer in) {
    Optional<Request> request = decoder.next(in);
    if (request.isEmpty()) {
      return false;
    }
    if (request.get() instanceof Request.Ping ping) {
      reply(new WireWriter().u32(StoreProtocol.full(ping.nonce())));
    }
    throw new ResourceException("it has " + connections.clientLimit() + " clients already");
  }

  private void apply(Request request) {
    request.applyTo(engine, this);
    answered = true;
  }

  private boolean request(ByteBuffer in) {
    Optional<Request> request = decoder.next(in);
    request.ifPresent(this::apply);
    return request.isPresent();
  }
}
