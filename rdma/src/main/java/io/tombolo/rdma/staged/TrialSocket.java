// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.CarrierChoice.Word;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a channel whose way is on trial: it carries what that way says through it, and
 * between these frames the words of a {@link CarrierChoice}. Little-endian:
 *
 * <pre>
 *  0  u8   'C' for what is carried, or a word
 *  1  u16  bytes that follow, at most 1024: of a word, why
 * </pre>
 *
 * <p>What follows the word to leave is not read here: it belongs to whoever gets the connection.
 */
final class TrialSocket implements PeerSocket {
  /**
   * What the peer says.
   *
   * @param word what
   * @param why for people; empty if there is nothing to add
   */
  record Said(Word word, String why) {}

  static final byte CARRIED = 'C';
  static final int HEADER_BYTES = 3;
  static final int MOST_BYTES = 1024;

  /** A frame that is carried, and the two words of an end. */
  private static final int FRAMES = 3;

  private static final Logger log = LoggerFactory.getLogger(TrialSocket.class);

  private final PeerSocket socket;
  private final ByteBuffer out = buffer(FRAMES * (HEADER_BYTES + MOST_BYTES)).limit(0);
  private final ByteBuffer in = buffer(HEADER_BYTES + MOST_BYTES).limit(HEADER_BYTES);
  private final ByteBuffer carried = buffer(MOST_BYTES).limit(0);
  private Optional<Said> said = Optional.empty();
  private boolean hasHeard;
  private boolean hasHeader;
  private boolean hasLeft;
  private boolean agreed;
  private boolean ignores;
  private boolean kept;
  private boolean gone;

  /** Why nothing more can be read; null if the peer has closed its end, or has not. */
  private IOException broken;

  /** Why nothing more can be said; null while it can. */
  private IOException unsaid;

  /** Over {@code socket}, which is connected. */
  TrialSocket(PeerSocket socket) {
    this.socket = socket;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Says {@code word}, and as much of {@code why} as goes into a frame. */
  void say(Word word, String why) {
    ByteBuffer text = ByteBuffer.wrap(why.getBytes(UTF_8));
    append(word.code(), text.limit(Math.min(text.limit(), MOST_BYTES)));
    flush();
  }

  private void append(byte type, ByteBuffer payload) {
    out.compact().put(type).putShort((short) payload.remaining()).put(payload).flip();
  }

  /** Sends what is to be said. What the peer said before it went is still to be read. */
  void flush() {
    try {
      if (!isFlushed()) {
        socket.write(out);
      }
    } catch (IOException e) {
      log.debug("a connection takes no more words: {}", e.toString());
      unsaid = e;
    }
  }

  /** Whether all that was said has left, or never will. */
  boolean isFlushed() {
    return !out.hasRemaining() || isMute();
  }

  /** Whether nothing can be said any more, and a word may have been cut short. */
  boolean isMute() {
    return unsaid != null;
  }

  /** Whether the peer has closed its end, or its process has ended. */
  boolean isGone() {
    return gone;
  }

  /** What the connection broke of, if the peer has not closed its end. */
  Optional<IOException> broken() {
    return Optional.ofNullable(gone ? broken : unsaid);
  }

  /** Whether the peer has said anything. */
  boolean hasHeard() {
    return hasHeard;
  }

  /** What comes for the way on trial is read by nobody any more. */
  void ignore() {
    ignores = true;
    carried.limit(carried.position());
  }

  /** The same, and to close it from now on closes nothing: others get the connection. */
  void keep() {
    kept = true;
    ignore();
  }

  /** The way on trial is taken: no more words are due. */
  void agree() {
    agreed = true;
  }

  /** What the peer has said, once. */
  Optional<Said> take() {
    Optional<Said> taken = said;
    said = Optional.empty();
    return taken;
  }

  /**
   * Hears the peer, up to a word that is not {@linkplain #take taken} yet, or to something carried
   * that is not read yet; how many frames have come.
   */
  int hear() {
    int frames = 0;
    while (!hasLeft && said.isEmpty() && !carried.hasRemaining() && isNextHere()) {
      if (hasHeader) {
        hasHeader = false;
        open(in.flip());
        in.clear().limit(HEADER_BYTES);
        frames++;
      } else {
        hasHeard = true;
        hasHeader = true;
        in.limit(HEADER_BYTES + payloadBytes());
      }
    }
    return frames;
  }

  /** Whether the header, or what follows it, is here. */
  private boolean isNextHere() {
    try {
      if (in.hasRemaining() && !gone && socket.read(in) < 0) {
        gone = true;
      }
    } catch (IOException e) {
      broken = e;
      gone = true;
    }
    return !in.hasRemaining();
  }

  private int payloadBytes() {
    int bytes = Short.toUnsignedInt(in.getShort(1));
    if (bytes > MOST_BYTES) {
      throw new CorruptException("the peer's frame has " + bytes + " bytes: too many");
    }
    return bytes;
  }

  private void open(ByteBuffer frame) {
    byte type = frame.get(0);
    frame.position(HEADER_BYTES);
    if (type != CARRIED) {
      Word word =
          Word.of(type)
              .filter(due -> !agreed)
              .orElseThrow(() -> new CorruptException("no frame of type " + type + " is due"));
      hasLeft = word == Word.LEAVE;
      said = Optional.of(new Said(word, UTF_8.decode(frame).toString()));
    } else if (!ignores) {
      carried.clear().put(frame).flip();
    }
  }

  /** One frame at a time, so that there is always room for a word. */
  @Override
  public int write(ByteBuffer source) {
    flush();
    int bytes = isFlushed() && !isMute() ? Math.min(source.remaining(), MOST_BYTES) : 0;
    if (bytes > 0) {
      append(CARRIED, source.slice().limit(bytes));
      source.position(source.position() + bytes);
      flush();
    }
    return bytes;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    hear();
    int bytes = Math.min(target.remaining(), carried.remaining());
    if (bytes == 0) { // an open channel looks for ever, and makes no garbage
      return gone ? end() : 0;
    }
    target.put(carried.slice().limit(bytes));
    carried.position(carried.position() + bytes);
    return bytes;
  }

  private int end() throws IOException {
    if (broken != null) {
      throw broken;
    }
    return -1;
  }

  @Override
  public boolean finishConnect() throws IOException {
    return socket.finishConnect();
  }

  @Override
  public OptionalInt descriptor() {
    return socket.descriptor();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (isFlushed() && !carried.hasRemaining()) {
      socket.awaits(wakeUps);
    } else {
      wakeUps.soon();
    }
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    if (!kept) {
      socket.close();
    }
  }
}
