// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.SlotGeometry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** The bytes on the wire: golden ones, and ten thousand spoiled ones. */
public final class WireTest {
  private static final int SEED = 7;
  private static final int MUTATIONS = 10_000;
  private static final int MAX_PAYLOAD = 1024;

  private static final String SLOT_HEADER =
      "54424c53 0100 0000 0807060504030201 1817161514131211 0010000000000000 0004000000000000"
          + "00020000 0000000000000000000000000000000000000000";
  private static final String HELLO =
      "54424c48 0200 0200 03000000 05000000 0807060504030201 08000000 00000400"
          + "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  private static final String LISTENER_PROOF =
      "6b23e94d5acd9dbe896fb21a72ee58961fdf7d2f2d6460f79f0c74df419254b0";

  private final JobToken token = JobToken.parse("ab".repeat(32));

  @Test
  public void shouldKeepTheBytesOfASlotHeader() {
    assertEquals(HexFormat.of().formatHex(slotHeader()), SLOT_HEADER.replace(" ", ""));
  }

  @Test
  public void shouldKeepTheBytesOfAHello() {
    byte[] bytes = hello().encode(nonce());
    assertEquals(HexFormat.of().formatHex(bytes), HELLO.replace(" ", ""));
    assertEquals(Hello.decode(bytes), hello());
  }

  @Test
  public void shouldKeepTheBytesOfAProof() {
    byte[] proof = token.proof("tombolo tcp listener", new byte[64], hello().encode(nonce()));
    assertEquals(HexFormat.of().formatHex(proof), LISTENER_PROOF);
  }

  @Test
  public void shouldTakeOnlySoundSlotHeadersWhenBytesAreSpoiled() {
    SplittableRandom random = new SplittableRandom(SEED);
    SlotHeader header = new SlotHeader();
    int refused = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = slotHeader();
      spoil(bytes, random);
      try {
        header.read(littleEndian(bytes), MAX_PAYLOAD);
        assertTrue(header.payloadBytes() >= 0 && header.payloadBytes() <= MAX_PAYLOAD, "i=" + i);
      } catch (CorruptException e) {
        refused++;
      }
    }
    assertTrue(refused > MUTATIONS / 4, "only " + refused + " refused with seed " + SEED);
  }

  @Test
  public void shouldRefuseASlotWhosePayloadLiesOutsideTheMessage() {
    long[][] outside = {
      {4096, 4095, 2},
      {4096, -1, 1},
      {-1, 0, 1},
      {4096, 0, MAX_PAYLOAD + 1},
      {4096, 0, -1},
      {Long.MAX_VALUE, Long.MAX_VALUE, 1},
      {4096, 0, 0},
      {4096, Long.MIN_VALUE, 16},
    };
    for (long[] place : outside) {
      ByteBuffer bytes = littleEndian(new byte[SlotHeader.SIZE_BYTES]);
      SlotHeader.write(bytes, 0, 0, place[0], place[1], (int) place[2]);
      expectThrows(CorruptException.class, () -> new SlotHeader().read(bytes, MAX_PAYLOAD));
    }
  }

  @Test
  public void shouldOpenToNobodyWhenTheDiallersBytesAreSpoiled() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = hello().encode(nonce());
      byte[] words = Arrays.copyOf(bytes, Hello.SIZE_BYTES + JobToken.SIZE_BYTES);
      random.nextBytes(bytes);
      System.arraycopy(bytes, 0, words, Hello.SIZE_BYTES, JobToken.SIZE_BYTES);
      spoil(words, random);
      int length = random.nextInt(words.length + 1);
      ListenerHandshake handshake = listener();
      assertTrue(!opens(handshake, Arrays.copyOf(words, length)), "seed " + SEED + ", i=" + i);
    }
  }

  @Test
  public void shouldTrustNobodyWhenTheListenersBytesAreSpoiled() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < MUTATIONS; i++) {
      DiallerHandshake dialler = new DiallerHandshake("tcp", token, hello());
      ListenerHandshake listener = listener();
      ScriptedSocket first = new ScriptedSocket(new byte[0]);
      dialler.progress(first);
      ScriptedSocket answer = new ScriptedSocket(first.written());
      listener.progress(answer);
      byte[] words = answer.written();
      spoil(words, random);
      assertTrue(!opens(dialler, words), "seed " + SEED + ", i=" + i);
    }
  }

  @Test
  public void shouldAgreeOnTheLesserRingWhenBothHoldTheToken() throws IOException {
    DiallerHandshake dialler = new DiallerHandshake("tcp", token, hello());
    ListenerHandshake listener =
        new ListenerHandshake("tcp", token, 5, new SlotGeometry(2, 1 << 20), false);
    ScriptedSocket first = new ScriptedSocket(new byte[0]);
    dialler.progress(first);
    ScriptedSocket answer = new ScriptedSocket(first.written());
    listener.progress(answer);
    ScriptedSocket second = new ScriptedSocket(answer.written());
    assertFalse(dialler.progress(second), "the listener has not heard its proof");
    ScriptedSocket third = new ScriptedSocket(second.written());
    assertTrue(listener.progress(third));
    assertTrue(dialler.progress(new ScriptedSocket(third.written())));
    assertEquals(dialler.geometry(), new SlotGeometry(2, 256 << 10));
    assertEquals(listener.geometry(), dialler.geometry());
  }

  /** A former build, which knows of no trial, sees a range that has its own version. */
  @Test
  public void shouldBeOnTrialWhenBothSidesMay() throws IOException {
    for (boolean here : new boolean[] {false, true}) {
      for (boolean there : new boolean[] {false, true}) {
        Hello own = hello().onTrial(here);
        assertTrue(own.speaksOurVersion());
        DiallerHandshake dialler = new DiallerHandshake("tcp", token, own);
        ListenerHandshake listener =
            new ListenerHandshake("tcp", token, 5, SlotGeometry.DEFAULT, there);
        ScriptedSocket first = new ScriptedSocket(new byte[0]);
        dialler.progress(first);
        ScriptedSocket answer = new ScriptedSocket(first.written());
        listener.progress(answer);
        dialler.progress(new ScriptedSocket(answer.written()));
        assertEquals(dialler.isOnTrial(), here && there);
        assertEquals(listener.isOnTrial(), here && there);
      }
    }
  }

  @Test
  public void shouldNameBothVersionsWhenTheyDoNotMeet() {
    Hello future = new Hello(3, 9, 3, 5, 1, SlotGeometry.DEFAULT);
    ListenerHandshake handshake = listener();
    MismatchException error =
        expectThrows(
            MismatchException.class,
            () -> handshake.progress(new ScriptedSocket(future.encode(nonce()))));
    assertTrue(
        error.getMessage().contains("rank 3 speaks versions 3 to 9")
            && error.getMessage().contains("rank 5 speaks version 2"),
        error.getMessage());
  }

  /** Whoever is refused for its version hears of ours, and so can say what is wrong. */
  @Test
  public void shouldTellTheDiallerOfTheVersionWhenItsOwnIsRefused() throws IOException {
    Hello future = new Hello(3, 9, 3, 5, 1, SlotGeometry.DEFAULT);
    DiallerHandshake dialler = new DiallerHandshake("tcp", token, future);
    ScriptedSocket first = new ScriptedSocket(new byte[0]);
    dialler.progress(first);
    ScriptedSocket answer = new ScriptedSocket(first.written());
    ListenerHandshake listener = listener();
    expectThrows(MismatchException.class, () -> listener.progress(answer));
    assertEquals(answer.written().length, Hello.SIZE_BYTES + JobToken.SIZE_BYTES);
  }

  private static boolean opens(Handshake handshake, byte[] words) {
    try {
      return handshake.progress(new ScriptedSocket(words));
    } catch (TomboloException | IOException e) {
      return false;
    }
  }

  /** Changes one to four bytes, each to another value. */
  private static void spoil(byte[] bytes, SplittableRandom random) {
    int first = random.nextInt(bytes.length);
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      bytes[(first + 7 * i) % bytes.length] ^= (byte) (1 + random.nextInt(255));
    }
  }

  private ListenerHandshake listener() {
    return new ListenerHandshake("tcp", token, 5, SlotGeometry.DEFAULT, false);
  }

  private static Hello hello() {
    return new Hello(2, 2, 3, 5, 0x0102030405060708L, SlotGeometry.DEFAULT);
  }

  private static byte[] nonce() {
    byte[] nonce = new byte[JobToken.SIZE_BYTES];
    for (int i = 0; i < nonce.length; i++) {
      nonce[i] = (byte) i;
    }
    return nonce;
  }

  private static byte[] slotHeader() {
    byte[] bytes = new byte[SlotHeader.SIZE_BYTES];
    ByteBuffer slot = littleEndian(bytes);
    SlotHeader.write(slot, 0x0102030405060708L, 0x1112131415161718L, 4096, 1024, 512);
    return bytes;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
