// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The bytes of every request, as torch 2.13's client and server have them. */
public final class RequestWireTest {
  private static final String KEY = "0200000000000000" + "2f6b"; // "/k"
  private static final String VALUE = "0300000000000000" + "010203";
  private static final byte[] BYTES = {1, 2, 3};

  @DataProvider
  Object[][] golden() {
    ImmutableList<String> keys = ImmutableList.of("/k", "/k");
    Request.Set set = new Request.Set("/k", BYTES);
    return new Object[][] {
      {set, "01" + KEY + VALUE},
      {new Request.CompareSet("/k", new byte[0], BYTES), "02" + KEY + "0000000000000000" + VALUE},
      {new Request.Get("/k"), "03" + KEY},
      {new Request.Add("/k", -2), "04" + KEY + "feffffffffffffff"},
      {new Request.Check(keys), "05" + "0200000000000000" + KEY + KEY},
      {new Request.Wait(keys), "06" + "0200000000000000" + KEY + KEY},
      {new Request.NumKeys(), "07"},
      {new Request.Delete("/k"), "08" + KEY},
      {new Request.Append("/k", BYTES), "09" + KEY + VALUE},
      {new Request.MultiGet(keys), "0a" + "0200000000000000" + KEY + KEY},
      {
        new Request.MultiSet(ImmutableList.of(set, set)),
        "0b" + "0200000000000000" + KEY + VALUE + KEY + VALUE
      },
      {new Request.CancelWait(), "0c"},
      {new Request.Ping(0x01020304), "0d" + "04030201"},
      {new Request.QueuePush("/k", BYTES), "0e" + KEY + VALUE},
      {new Request.QueuePop("/k"), "0f" + KEY},
      {new Request.QueueLength("/k"), "10" + KEY},
      {new Request.ListKeys(), "11"},
      {new Request.Barrier("/k", 4), "12" + KEY + "0400000000000000"},
    };
  }

  @Test(dataProvider = "golden")
  public void shouldWriteTorchsBytes(Request request, String hex) {
    assertEquals(hex(request.toBytes()), hex);
  }

  @Test(dataProvider = "golden")
  public void shouldReadBackWhatWasWrittenHoweverItArrives(Request request, String hex) {
    byte[] bytes = BaseEncoding.base16().lowerCase().decode(hex);
    RequestDecoder decoder = new RequestDecoder();
    for (int size = 0; size < bytes.length; size++) {
      ByteBuffer part = littleEndian(bytes).limit(size);
      assertEquals(decoder.next(part), Optional.empty(), "of the first " + size + " bytes");
      assertEquals(part.position(), 0);
    }
    ByteBuffer whole = littleEndian(bytes);
    Request read = decoder.next(whole).orElseThrow();
    assertEquals(read.getClass(), request.getClass());
    assertEquals(hex(read.toBytes()), hex);
    assertFalse(whole.hasRemaining());
  }

  @DataProvider
  Object[][] hostile() {
    return new Object[][] {
      {"an operation nobody knows", "13"},
      {"VALIDATE again", "00cef7853c"},
      {"a key of 8 KiB + 1", "03" + "0120000000000000"},
      {"a key of negative length", "03" + "ffffffffffffffff"},
      {"a value of 8 MiB + 1", "01" + KEY + "0100800000000000"},
      {"a value of 2^63 - 1 bytes", "01" + KEY + "ffffffffffffff7f"},
      {"131073 keys", "06" + "0100020000000000"},
      {"a negative count", "0b" + "ffffffffffffffff"},
    };
  }

  @Test(dataProvider = "hostile")
  public void shouldRefuseBeforeTheRestArrives(String what, String hex) {
    byte[] bytes = BaseEncoding.base16().lowerCase().decode(hex);
    assertThrows(CorruptException.class, () -> new RequestDecoder().next(littleEndian(bytes)));
  }

  @Test
  public void shouldOnlyEverRefuseOrWaitWhenBytesAreRandom() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    int requests = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = mutated(random);
      try {
        ByteBuffer in = littleEndian(bytes);
        RequestDecoder decoder = new RequestDecoder();
        while (decoder.next(in).isPresent()) {
          requests++;
        }
      } catch (CorruptException e) {
        assertTrue(e.getMessage().length() < 200, e.getMessage());
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtombolo.seed=" + seed + ", round " + round, e);
      }
    }
    assertTrue(requests > 1_000, "the fuzzer reaches whole requests: " + requests);
  }

  @Test
  public void shouldKeepTheSessionWithinItsMemoryWhenBytesAreRandom() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      MemoryBudget budget = new MemoryBudget(1 << 16);
      StoreEngine engine = new StoreEngine(budget);
      ServerSession session =
          new ServerSession(
              engine, Optional.empty(), new Connections(new Connections.Limits(1, 1)), reply -> {});
      session.consume(littleEndian(new byte[] {0, (byte) 0xCE, (byte) 0xF7, (byte) 0x85, 0x3C}));
      assertTrue(session.isOpen());
      try {
        for (int i = 0; i < 100; i++) {
          session.consume(littleEndian(mutated(random)));
        }
      } catch (TomboloException e) {
        engine.forget(session);
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtombolo.seed=" + seed + ", round " + round, e);
      }
      assertTrue(
          budget.heldBytes() <= 1 << 16 && budget.heldBytes() >= 0, "-Dtombolo.seed=" + seed);
    }
  }

  /** A valid request with a few bytes changed, cut or doubled. */
  private byte[] mutated(Random random) {
    Object[][] golden = golden();
    String hex = (String) golden[random.nextInt(golden.length)][1];
    byte[] bytes = BaseEncoding.base16().lowerCase().decode(hex);
    for (int i = random.nextInt(3); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return random.nextInt(4) > 0 ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length + 9));
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static String hex(byte[] bytes) {
    return BaseEncoding.base16().lowerCase().encode(bytes);
  }
}
