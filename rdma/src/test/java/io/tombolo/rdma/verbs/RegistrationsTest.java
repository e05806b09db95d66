// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.emulated.hca.EmulatedHca;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Which blocks a NIC keeps registered, and for how long. */
public final class RegistrationsTest {
  private static final int MOST = 3;
  private static final int BYTES = 1 << 16;

  private static final long PAUSE_NS = 1_000_000;

  private final List<NativeMemory> memories = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private NicPort nic;
  private Registrations registrations;

  @BeforeMethod
  public void open() {
    LateEnds.hasten(); // objects of the NIC are counted
    nic = Devices.open(0);
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return clock.get();
          }
        };
    registrations = new Registrations(nic, MOST, ticker);
  }

  @AfterMethod
  public void close() {
    EmulatedHca.set("EIO_PERCENT", "0");
    registrations.close();
    nic.close();
    memories.forEach(NativeMemory::close);
    memories.clear();
  }

  @Test
  public void shouldRegisterABlockOnceAndKeepABoundedNumber() {
    Window first = window();
    Registration kept = registrations.find(first).orElseThrow();
    kept.use();
    assertSame(registrations.find(first).orElseThrow(), kept);
    for (int i = 0; i < 2 * MOST; i++) {
      assertTrue(registrations.find(window()).isPresent());
      assertTrue(registrations.size() <= MOST, registrations.size() + " are registered");
    }
    assertSame(registrations.find(first).orElseThrow(), kept, "a request names it");
  }

  @Test
  public void shouldDropABlockThatIsFreedWhenNoRequestNamesIt() {
    Window window = window();
    Registration used = registrations.find(window).orElseThrow();
    used.use();
    window.owner.freed();
    registrations.sweep();
    assertEquals(registrations.size(), 1);
    used.leave();
    registrations.sweep();
    assertEquals(registrations.size(), 0);
    assertFalse(registrations.find(window).isPresent(), "freed memory is not registered again");
  }

  @Test
  public void shouldKeepWhatTheNicDoesNotLetGoOfUntilItDoes() {
    Window freed = window();
    assertTrue(registrations.find(freed).isPresent());
    freed.owner.freed();
    EmulatedHca.set("EIO_PERCENT", "100");
    registrations.sweep();
    for (int i = 0; i < MOST; i++) {
      assertTrue(registrations.find(window()).isPresent());
    }
    assertEquals(registrations.size(), MOST + 1);
    long registered = LateEnds.living();
    EmulatedHca.set("EIO_PERCENT", "0");
    registrations.sweep();
    assertEquals(registrations.size(), MOST + 1, "it was asked again at once");
    clock.addAndGet(PAUSE_NS);
    registrations.sweep();
    assertEquals(registrations.size(), MOST);
    assertEquals(EmulatedHca.living(), registered - 1);
  }

  @Test
  public void shouldNotTakeABlockForAnotherAtTheSameAddress() {
    Window before = window();
    Registration old = registrations.find(before).orElseThrow();
    before.owner.freed();
    Window after = new Window(new MemoryBlock(BYTES, before.owner::export));
    assertFalse(registrations.find(after).isPresent(), "it exports nothing any more");
    assertTrue(old.isFreed());
  }

  @Test
  public void shouldSayWhyABlockIsStaged() {
    MemoryBlock block = new MemoryBlock(BYTES, () -> new MemoryExport.None("no reason at all"));
    Registration refused = Registration.of(block, nic.domain(), Access.LOCAL_WRITE);
    assertTrue(refused.refusal().contains("no reason at all"), refused.refusal());
  }

  @Test
  public void shouldRefuseAPayloadThatNobodyGranted() {
    Grants none = new Grants(nic, registrations, null, null, 1);
    assertThrows(CorruptException.class, () -> none.checkPlaced(0, 1));
  }

  private Window window() {
    NativeMemory memory = NativeMemory.allocate(BYTES);
    memories.add(memory);
    return new Window(new MemoryBlock(BYTES, () -> new MemoryExport.Host(memory.address())));
  }

  /** All of a block; it is never copied. */
  private static final class Window implements LocalMemory {
    private final MemoryBlock owner;

    Window(MemoryBlock owner) {
      this.owner = owner;
    }

    @Override
    public long sizeBytes() {
      return BYTES;
    }

    @Override
    public Optional<MemoryBlock> block() {
      return Optional.of(owner);
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      throw new AssertionError("copied");
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      throw new AssertionError("copied");
    }

    @Override
    public boolean isDone(long ticket) {
      return true;
    }
  }
}
