// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** A peer that has proved the token and then says what it likes on the control connection. */
public final class HostileWordsTest {
  private static final int SEEDS = 3_000;
  private static final int WORDS = 12;
  private static final int ROUNDS_PER_WORD = 40;
  private static final int MESSAGES = 5;
  private static final int BYTES = 10_000;
  private static final long[] NUMBERS = {-1, 0, 1, 4096, BYTES, BYTES + 1, Long.MAX_VALUE};

  @Test
  public void shouldGoOnOrEndWithAnErrorOfOurs() throws IOException {
    int corrupt = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      corrupt += play(seed) ? 1 : 0;
    }
    assertTrue(corrupt > SEEDS / 2, corrupt + " of " + SEEDS + " were noticed");
  }

  /** Whether the peer was found out. */
  private static boolean play(long seed) throws IOException {
    World world = new World(seed);
    WorldSocket[] sockets = WorldSocket.pair(world);
    List<WorldRail> rails =
        Stream.generate(() -> new WorldRail(world, true, false)).limit(3).toList();
    WorldSide side = new WorldSide(world, 0, rails, new int[] {1, 2, 3}, sockets[0]);
    for (int tag = 0; tag < MESSAGES; tag++) {
      side.postings.send(tag, new WorldMemory(BYTES), 0, BYTES);
      side.postings.receive(tag, new WorldMemory(BYTES), 0, BYTES);
    }
    if (world.dice(10) > 0) {
      sockets[1].tell(pairs(4096, 1, 2, 3));
    }
    for (int word = 0; word < WORDS && side.failure().isEmpty(); word++) {
      sockets[1].tell(word(world));
      for (int round = 0; round < ROUNDS_PER_WORD; round++) {
        world.advance();
        side.progress(new Ignored());
      }
    }
    TomboloException failure = side.failure().orElse(null);
    boolean isOurs =
        failure == null
            || failure instanceof CorruptException
            || failure instanceof MismatchException
            || failure instanceof PeerFailedException;
    assertTrue(isOurs, "seed " + seed + ": " + failure);
    return failure instanceof CorruptException || failure instanceof MismatchException;
  }

  @Test
  public void shouldRefuseAPeerThatCutsMessagesOtherwise() throws IOException {
    assertEquals(meet(pairs(4096, 1, 2, 3)).getClass(), Object.class);
    for (ByteBuffer other :
        List.of(pairs(8192, 1, 2, 3), pairs(4096, 1, 2), pairs(4096, 1, 3, 2))) {
      assertEquals(meet(other).getClass(), MismatchException.class);
    }
  }

  /** A stop that names no lost rail, a state before it, and words of other epochs and rails. */
  @Test
  public void shouldRefuseWordsOutOfTurn() throws IOException {
    byte[] all = {ControlWord.RECEIVED, ControlWord.STATE, ControlWord.STOP, ControlWord.STALLED};
    for (byte type : all) {
      boolean isFine = type == ControlWord.RECEIVED;
      Class<?> wanted = isFine ? Object.class : CorruptException.class;
      assertEquals(meet(pairs(4096, 1, 2, 3), header(type, 0, 0b111)).getClass(), wanted);
      for (ByteBuffer wrong : List.of(header(type, 1, 0b11), header(type, 0, 0b1011))) {
        assertEquals(meet(pairs(4096, 1, 2, 3), wrong).getClass(), CorruptException.class);
      }
    }
    assertEquals(meet(header(ControlWord.RECEIVED, 0, 0b111)).getClass(), CorruptException.class);
  }

  private static ByteBuffer header(byte type, int epoch, int live) {
    ByteBuffer bytes = ByteBuffer.allocate(ControlWord.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    ControlWord.put(bytes, type, 0, epoch, live, 0);
    return bytes.flip();
  }

  /** What the peer's first words lead to; an object if to nothing. */
  private static Object meet(ByteBuffer... words) throws IOException {
    World world = new World(1);
    WorldSocket[] sockets = WorldSocket.pair(world);
    List<WorldRail> rails =
        Stream.generate(() -> new WorldRail(world, true, false)).limit(3).toList();
    WorldSide side = new WorldSide(world, 0, rails, new int[] {1, 2, 3}, sockets[0]);
    for (ByteBuffer word : words) {
      sockets[1].tell(word);
    }
    for (int round = 0; round < 10 * ROUNDS_PER_WORD; round++) {
      world.advance();
      side.progress(new Ignored());
    }
    return side.failure().isPresent() ? side.failure().get() : new Object();
  }

  /** The first word of a peer that cuts stripes of so many bytes for rails of these weights. */
  private static ByteBuffer pairs(long stripeBytes, int... weights) {
    ByteBuffer bytes =
        ByteBuffer.allocate(ControlWord.HEADER_BYTES + weights.length * ControlWord.RANGE_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    ControlWord.put(bytes, ControlWord.PAIRS, weights.length, 0, 7, stripeBytes);
    for (int pair = 0; pair < weights.length; pair++) {
      new RailPair(pair, pair, weights[pair]).write(bytes);
    }
    return bytes.flip();
  }

  /** Now and then one that could be ours. */
  private static ByteBuffer word(World world) {
    int type = world.dice(9);
    int most = world.dice(20) == 0 ? 400 : MESSAGES + 1;
    int count = type == ControlWord.EXPECTED ? 3 : type == ControlWord.STATE ? world.dice(most) : 0;
    ByteBuffer bytes =
        ByteBuffer.allocate(ControlWord.HEADER_BYTES + count * ControlWord.RANGE_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    ControlWord.put(
        bytes, (byte) type, count, world.dice(2), world.dice(9), world.dice(MESSAGES + 2) / 3);
    while (bytes.hasRemaining()) {
      bytes.putLong(NUMBERS[world.dice(NUMBERS.length)]);
    }
    return bytes.flip();
  }

  private record Ignored() implements Channel.Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {}

    @Override
    public void onReceived(long tag, long sizeBytes) {}
  }
}
