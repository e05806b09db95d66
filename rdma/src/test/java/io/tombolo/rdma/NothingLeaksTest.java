// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.LateEnds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Each object in turn that a fabric and its channel make on the HCA cannot be made. */
public final class NothingLeaksTest {
  /** More than any kind makes. */
  private static final int MOST = 1000;

  private static final String WHAT = "(rank .*: )?cannot .*errno 12.*ulimit -l.*";

  /** Each side does without a window; without anything else it does not go on. */
  private static final int WELL_IN_A_ROW = 3;

  private final AtomicInteger pins = new AtomicInteger();

  /** More objects than two ends with two rails have. */
  private static final int OF_RAILS = 100;

  private final JobToken token = JobToken.random();

  /** What lived on the HCA when a message had been carried. */
  private long made;

  @DataProvider
  public static Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  @AfterMethod
  public void startAfresh() {
    pins.set(0);
    EmulatedHca.set("FAIL_CREATE_AT", "0");
  }

  @Test(dataProvider = "kinds")
  public void shouldLeaveNothingBehindWhicheverObjectCannotBeMade(Kind kind) throws IOException {
    long living = LateEnds.living();
    assertEquals(connect(kind, 0), Optional.empty());
    long descriptors = descriptors();
    int n = 0;
    int named = 0;
    for (int well = 0; well < WELL_IN_A_ROW; ) {
      Optional<ResourceException> error = connect(kind, ++n);
      if (error.isEmpty()) {
        well++;
        continue;
      }
      well = 0;
      String what = "object " + n + " of " + kind + ", " + error.get().getMessage();
      assertEquals(LateEnds.living() - living, 0, "left on the HCA without " + what);
      assertEquals(pins.get(), 0, "left pinned without " + what);
      assertTrue(error.get().getMessage().matches(WHAT), what);
      named += error.get().getMessage().matches("rank . to rank . over .*channel 7: .*") ? 1 : 0;
      assertTrue(n < MOST, what);
    }
    assertEquals(LateEnds.living() - living, 0, "left on the HCA when all went well");
    assertTrue(n > 10, "there is more to make than " + n);
    assertTrue(named > 1, "a channel makes more than the " + named + " that name it");
    long left = descriptors() - descriptors;
    assertTrue(left < n / 2, left + " descriptors more after " + n + " connections");
  }

  @DataProvider
  public static Object[][] railed() {
    return Kind.rows(ImmutableList.of(Kind.RAILS2_RC, Kind.RAILS2_UC, Kind.RAILS2_UD));
  }

  /** Without an object there may be one rail less, and all goes well. */
  @Test(dataProvider = "railed")
  public void shouldLeaveNothingBehindOfARailThatCannotBeMade(Kind kind) {
    long living = LateEnds.living();
    assertEquals(connect(kind, 0), Optional.empty());
    long all = made;
    int missed = 0;
    for (int n = 1; n < OF_RAILS; n++) {
      Optional<ResourceException> error = connect(kind, n);
      missed += error.isPresent() || made < all ? 1 : 0;
      String what = "object " + n + " of " + kind + ", " + error;
      assertEquals(LateEnds.living() - living, 0, "left on the HCA without " + what);
      assertEquals(pins.get(), 0, "left pinned without " + what);
    }
    System.out.printf("%s: %d of %d objects were missed%n", kind, missed, OF_RAILS - 1);
    assertTrue(missed > 0, "every object could be made");
  }

  /** Opens two fabrics and a channel, without the object {@code n}; what that led to. */
  private Optional<ResourceException> connect(Kind kind, int n) {
    EmulatedHca.set("FAIL_CREATE_AT", Integer.toString(n));
    try (CloseStack stack = new CloseStack()) {
      TestMemory memory = stack.opened(new TestMemory(1, 0, 0));
      Fabric low = stack.opened(kind.open(settings(0)));
      Fabric high = stack.opened(kind.open(settings(1)));
      Channel fromLow = low.connect(1, high.address(), 7, Deadline.after(FabricPair.BUDGET));
      Channel fromHigh = high.connect(0, low.address(), 7, Deadline.after(FabricPair.BUDGET));
      FabricPair.drive(
          () -> Stream.of(fromLow, fromHigh).filter(Channel::isOpen).count() == 2, low, high);
      assertTrue(fromLow.send(1, memory, 0, 1)); // over rc, an end is made for a message
      assertTrue(fromHigh.receive(1, memory, 0, 1));
      Log log = new Log();
      FabricPair.drive(() -> fromLow.poll(log) >= 0 && fromHigh.poll(log) > 0, low, high);
      made = LateEnds.living();
      return Optional.empty();
    } catch (ResourceException e) {
      return Optional.of(e);
    }
  }

  private FabricSettings settings(int rank) {
    HostPinner pinner =
        (address, sizeBytes) -> {
          pins.incrementAndGet();
          return pins::decrementAndGet;
        };
    return new FabricSettings(rank, token, pinner, FabricPair.small(), Ticker.systemTicker());
  }

  private static long descriptors() throws IOException {
    LateEnds.hasten();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }
}
