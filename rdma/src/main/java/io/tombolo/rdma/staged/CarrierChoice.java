// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.errors.CorruptException;
import java.util.Optional;

/**
 * How the two ends of a channel agree whether it goes by the way that was tried, or leaves it for
 * the connection by which they met. One of them decides; the other promises to abide by that once
 * its own end is open, and cannot leave any more without being told. So none carries a byte by a
 * way that the other has left, whenever either fails: {@code CarrierChoiceTest} tries all courses.
 *
 * <p>Pure: it is told what happens, and says which word goes to the other end. {@link Word#LEAVE}
 * is an end's last word here, and each end has said it once when both have left.
 */
final class CarrierChoice {
  /** What one end says to the other. */
  enum Word {
    /** By the end that does not decide: mine is open, and I wait for your word. */
    PROMISE('P'),
    /** By the one that decides: both ends are open. */
    OPEN('O'),
    /** By either: not this way. */
    LEAVE('L');

    private final byte code;

    Word(char code) {
      this.code = (byte) code;
    }

    /** As it travels. */
    byte code() {
      return code;
    }

    /** The word that travels as {@code code}, if one does. */
    static Optional<Word> of(byte code) {
      for (Word word : values()) {
        if (word.code == code) {
          return Optional.of(word);
        }
      }
      return Optional.empty();
    }
  }

  /** How far an end has come. */
  enum State {
    /** Its end is not open yet, or the other's is not, as far as the one that decides knows. */
    TRYING,
    /** It has promised, and waits. */
    PROMISED,
    /** Both ends are open: messages may go. */
    OPEN,
    /** It has left, and waits for the other to do so. */
    LEAVING,
    /** Both have left. */
    LEFT
  }

  private final boolean decides;
  private State state = State.TRYING;
  private boolean ready;
  private boolean promised;

  /** An end; of two exactly one {@code decides}. */
  CarrierChoice(boolean decides) {
    this.decides = decides;
  }

  State state() {
    return state;
  }

  /** This end is open; what is to be said. May be told again. */
  Optional<Word> onReady() {
    ready = true;
    if (state != State.TRYING) {
      return Optional.empty();
    }
    return decides ? decide() : move(State.PROMISED, Word.PROMISE);
  }

  /** Only the one that decides may call the way open, and only if both ends are. */
  private Optional<Word> decide() {
    return ready && promised ? move(State.OPEN, Word.OPEN) : Optional.empty();
  }

  /** This end does not open, or has failed; what is to be said. A promise is kept all the same. */
  Optional<Word> onFailure() {
    return state == State.TRYING ? move(State.LEAVING, Word.LEAVE) : Optional.empty();
  }

  /** The other end has said {@code word}; what is to be said. */
  Optional<Word> onWord(Word word) {
    return switch (word) {
      case PROMISE -> onPromise();
      case OPEN -> onOpen();
      case LEAVE -> onLeave();
    };
  }

  /** It may have crossed our own word to leave. */
  private Optional<Word> onPromise() {
    check(decides && !promised && (state == State.TRYING || state == State.LEAVING), Word.PROMISE);
    promised = true;
    return state == State.TRYING ? decide() : Optional.empty();
  }

  private Optional<Word> onOpen() {
    check(!decides && state == State.PROMISED, Word.OPEN);
    state = State.OPEN;
    return Optional.empty();
  }

  private Optional<Word> onLeave() {
    boolean breaksPromise = decides && promised && state == State.TRYING;
    check(state != State.OPEN && state != State.LEFT && !breaksPromise, Word.LEAVE);
    if (state == State.LEAVING) {
      state = State.LEFT;
      return Optional.empty();
    }
    return move(State.LEFT, Word.LEAVE);
  }

  private Optional<Word> move(State next, Word word) {
    state = next;
    return Optional.of(word);
  }

  private void check(boolean inTurn, Word word) {
    if (!inTurn) {
      throw new CorruptException(
          "the peer says "
              + word
              + " out of turn: this end, which "
              + (decides ? "decides" : "does not decide")
              + " what carries the channel, is "
              + state);
    }
  }
}
