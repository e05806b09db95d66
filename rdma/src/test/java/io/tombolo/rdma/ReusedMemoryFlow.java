// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Messages one way over a channel, whose memory is used for something else as soon as they are
 * done, on both sides.
 */
final class ReusedMemoryFlow implements AutoCloseable {
  private static final int MESSAGES = 40;
  private static final int MAX_BYTES = 100_000;
  private static final int MAX_POSTED = 12;
  private static final int MAX_DELAY = 60;

  private final Channel from;
  private final Channel to;
  private final SplittableRandom random;
  private final List<Message> messages = new ArrayList<>();
  private int sending;
  private int receiving;
  private int sent;
  private int received;
  private int wrong;

  @SuppressWarnings("ArrayRecordComponent") // kept, never compared
  private record Message(int sizeBytes, TestMemory source, TestMemory target, byte[] content) {}

  ReusedMemoryFlow(Channel from, Channel to, SplittableRandom random) {
    this.from = from;
    this.to = to;
    this.random = random;
    for (int i = 0; i < MESSAGES; i++) {
      int size = random.nextInt(4) == 0 ? random.nextInt(9) : random.nextInt(MAX_BYTES);
      TestMemory source = memory(size).fill(random.nextLong());
      TestMemory target = memory(size).fill(0);
      messages.add(new Message(size, source, target, source.get(0, size)));
    }
  }

  /** Copied slowly, or such as NICs read and write themselves. */
  private TestMemory memory(int size) {
    return random.nextBoolean()
        ? new TestMemory(size, 0, 0).exported().registered()
        : new TestMemory(size, MAX_DELAY, random.nextLong());
  }

  /** Posts something now and then. */
  void step() {
    if (sending < MESSAGES && sending - sent < MAX_POSTED && random.nextInt(3) == 0) {
      Message next = messages.get(sending);
      sending += from.send(sending, next.source, 0, next.sizeBytes) ? 1 : 0;
    }
    if (receiving < MESSAGES && receiving - received < MAX_POSTED && random.nextInt(3) == 0) {
      Message next = messages.get(receiving);
      receiving += to.receive(receiving, next.target, 0, next.sizeBytes) ? 1 : 0;
    }
  }

  /** The sender's memory is its owner's again. */
  void onSent(long tag) {
    wrong += tag == sent ? 0 : 1;
    messages.get(sent++).source.fill(-1);
  }

  /** So is the receiver's. */
  void onReceived(long tag) {
    wrong += tag == received ? 0 : 1;
    Message message = messages.get(received++);
    wrong += isRight(message, message.content) ? 0 : 1;
    message.target.fill(tag);
  }

  /** Bytes of all messages together. */
  long bytes() {
    return messages.stream().mapToLong(Message::sizeBytes).sum();
  }

  boolean isDone() {
    return sent == MESSAGES && received == MESSAGES;
  }

  /** Whether no copy is under way. */
  boolean isQuiet() {
    return messages.stream()
        .allMatch(message -> message.source.pendingCopies() + message.target.pendingCopies() == 0);
  }

  /** Messages that came wrong, or twice, or whose memory was written to later. */
  int wrong() {
    int late = 0;
    for (int tag = 0; tag < MESSAGES; tag++) {
      Message message = messages.get(tag);
      try (TestMemory reused = new TestMemory(message.sizeBytes, 0, 0).fill(tag)) {
        late += isRight(message, reused.get(0, message.sizeBytes)) ? 0 : 1;
      }
    }
    return wrong + late;
  }

  private static boolean isRight(Message message, byte[] content) {
    return Arrays.equals(message.target.get(0, message.sizeBytes), content);
  }

  /** Both ends of a channel with a flow each way. */
  static final class Ends {
    private final ReusedMemoryFlow up;
    private final ReusedMemoryFlow down;
    private final Channel.Completions low;
    private final Channel.Completions high;

    /** Of the channel whose lower end sends {@code up}. */
    Ends(ReusedMemoryFlow up, ReusedMemoryFlow down) {
      this.up = up;
      this.down = down;
      low = completions(up, down);
      high = completions(down, up);
    }

    private static Channel.Completions completions(ReusedMemoryFlow out, ReusedMemoryFlow in) {
      return new Channel.Completions() {
        @Override
        public void onSent(long tag, long sizeBytes) {
          out.onSent(tag);
        }

        @Override
        public void onReceived(long tag, long sizeBytes) {
          in.onReceived(tag);
        }
      };
    }

    /** Posts something now and then, and takes what is done. */
    void step() {
      up.step();
      down.step();
      up.from.poll(low);
      down.from.poll(high);
    }

    boolean areDone() {
      return up.isDone() && down.isDone();
    }

    boolean areQuiet() {
      return up.isQuiet() && down.isQuiet();
    }
  }

  @Override
  public void close() {
    messages.forEach(
        message -> {
          message.source.close();
          message.target.close();
        });
  }
}
