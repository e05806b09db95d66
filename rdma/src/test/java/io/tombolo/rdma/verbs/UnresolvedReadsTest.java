// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/**
 * One-sided reads where the kernel gets no answer for the address of the other end's port: each end
 * connects by three calls at most, as somebody waits for it who could move the bytes another way.
 */
public final class UnresolvedReadsTest {
  private static final String WHAT = "'w' of version 8 of 'policy'";
  private static final int CALLS = 3;

  @AfterMethod(alwaysRun = true)
  public void repair() {
    failCalls(0);
  }

  @Test(timeOut = 120_000)
  public void shouldConnectByTheLastCall() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      byte[] bytes = both.fill(1);
      failCalls(CALLS - 1);
      both.connect();
      assertEquals(both.readAll(shown.remote()), bytes);
    }
  }

  /** There is no fourth call: it would go well. */
  @Test(timeOut = 120_000)
  public void shouldSayAfterTheLastCallWhatWasTried() {
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose(WHAT)) {
      byte[] bytes = both.fill(2);
      failCalls(CALLS);
      shouldSayWhatWasTried(expectThrows(FabricException.class, both::connect), "emu-mlx5_0:1");
      both.connect();
      assertEquals(both.readAll(shown.remote()), bytes);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSayTheSameAtTheReadersEnd() {
    try (OneSidedPair both = new OneSidedPair();
        ReaderEnd reader = both.reader.readerEnd("the holder at test:1");
        HolderEnd holder = both.holder.holderEnd()) {
      holder.connect(reader.card());
      byte[] card = holder.card();
      failCalls(CALLS);
      shouldSayWhatWasTried(
          expectThrows(FabricException.class, () -> reader.connect(card)), "emu-mlx5_1:1");
    }
  }

  private static void shouldSayWhatWasTried(FabricException error, String from) {
    String text = error.getMessage();
    assertTrue(text.startsWith("cannot connect to the peer: its address, "), text);
    assertTrue(text.contains("was not resolved by " + CALLS + " calls within "), text);
    assertTrue(text.contains(" ms, from " + from), text);
    assertTrue(text.contains("errno 110") && text.contains("'ip neigh'"), text);
    assertEquals(error.rawCode(), -VerbsErrors.ETIMEDOUT);
  }

  private static void failCalls(int calls) {
    EmulatedHca.set("UNRESOLVED", Integer.toString(calls));
  }
}
