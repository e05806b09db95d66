// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Capabilities.Flag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The collective libraries in trouble: peers that die or never come, faults on demand, and calls
 * that wait for ever. Mostly the members wait, so the libraries take their turns side by side.
 */
public final class CclTroubleTest {
  /** Later than {@link ChildProcess} ends the members, which tells more. */
  private static final long LIMIT_MS = 3_900_000;

  @DataProvider(parallel = true)
  public static Object[][] librariesThatQueue() {
    return new Object[][] {{CclUnderTest.EMU_NVIDIA}, {CclUnderTest.EMU_AMD}};
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldReleaseTheStuckMemberByAbortWhenItsPeerDied(CclUnderTest library) {
    List<ChildProcess> members = CclMembers.run(library, "abort", 2, Map.of());
    assertTrue(members.get(0).output().contains("stuck: true"), members.toString());
    assertTrue(members.get(0).output().contains("released"), members.toString());
    assertEquals(members.get(1).exitCode(), 9, members.toString());
    Set<String> left = sockets();
    TestDevices.await("the end of " + left, () -> Collections.disjoint(left, sockets()));
  }

  /** Its calls block the stream's thread, so what ends a stuck one is an error of the stream. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndTheHostLibrarysStuckCallByAbortWhenItsPeerDied() {
    ChildProcess member = CclMembers.run(CclUnderTest.HOST, "abort", 2, Map.of()).get(0);
    assertTrue(member.output().contains("stuck: true"), member.toString());
    assertTrue(member.output().contains("all_reduce failed (raw code 4)"), member.toString());
  }

  /** A group's members connect at its end, which is a call of the communicator until then. */
  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldEndAGroupThatConnectsByAbortWhenItsPeerDied(CclUnderTest library) {
    ChildProcess member = CclMembers.run(library, "abort-group", 2, Map.of()).get(0);
    assertTrue(member.output().contains("stuck: true"), member.toString());
    assertTrue(member.output().contains("launching a group failed"), member.toString());
    assertEquals(member.exitCode(), 0, member.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndARegistrationByAbortWhenItsPeerDied() {
    ChildProcess member = CclMembers.run(CclUnderTest.HOST, "abort-register", 2, Map.of()).get(0);
    assertTrue(member.output().contains("stuck: true"), member.toString());
    assertTrue(member.output().contains("registering 1 bytes failed"), member.toString());
    assertEquals(member.exitCode(), 0, member.toString());
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldBlockLikeTheVendorWhenBothSendFirstOutsideOfAGroup(CclUnderTest library) {
    for (ChildProcess member : CclMembers.run(library, "send-first", 2, Map.of())) {
      assertTrue(member.output().contains("in a group: done"), member.toString());
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertEquals(member.exitCode(), 0, member.toString());
    }
  }

  /** Where the two streams have hardware queues of their own. */
  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldEndInTwoOrders(CclUnderTest library) {
    Map<String, String> ownQueues = Map.of("TOMBOLO_EMU_KIND", "queues");
    for (ChildProcess member : CclMembers.run(library, "two-orders", 2, ownQueues)) {
      assertFalse(member.output().contains("SAME_ORDER_ONLY"), member.toString());
      assertTrue(member.output().contains("stuck: false"), member.toString());
    }
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldWaitForEverInTwoOrdersWhenAskedTo(CclUnderTest library) {
    Map<String, String> quirk = Map.of("TOMBOLO_EMU_SAME_ORDER_ONLY", library.vendor().name());
    for (ChildProcess member : CclMembers.run(library, "stuck-orders", 2, quirk)) {
      assertTrue(member.output().contains("SAME_ORDER_ONLY"), member.toString());
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertTrue(member.output().contains("released"), member.toString());
    }
  }

  /** A kernel that waits for members is in the way of the other's, so both members wait. */
  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldWaitForEverInTwoOrdersOnOneHardwareQueue(CclUnderTest library) {
    Map<String, String> oneQueue = Map.of("TOMBOLO_EMU_QUEUES", "1");
    for (ChildProcess member : CclMembers.run(library, "stuck-orders", 2, oneQueue)) {
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertTrue(member.output().contains("released"), member.toString());
    }
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldRefuseUnequalCountsWhenAskedTo(CclUnderTest library) {
    Map<String, String> quirk = Map.of("TOMBOLO_EMU_EQUAL_COUNTS_ONLY", "1");
    ChildProcess member = CclMembers.run(library, "unequal", 2, quirk).get(1);
    assertTrue(member.output().contains("EQUAL_COUNTS_ONLY"), member.toString());
    assertTrue(member.output().contains("(raw code 5)"), member.toString());
  }

  @DataProvider(parallel = true)
  public static Object[][] emulationsThatTellOfErrorsLater() {
    return Arrays.stream(CclUnderTest.values())
        .filter(library -> library.name().startsWith("EMU_"))
        .filter(library -> library.dialect().capabilities().has(Flag.ASYNC_ERROR))
        .map(library -> new Object[] {library})
        .toArray(Object[][]::new);
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "emulationsThatTellOfErrorsLater")
  public void shouldTellOfAnErrorThatComesAfterTheCall(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_ASYNC_ERROR_AT", "2");
    ChildProcess member = CclMembers.run(library, "async-error", 1, fault).get(0);
    assertTrue(member.output().contains("after call 1: nothing"), member.toString());
    assertTrue(member.output().contains("after call 2: "), member.toString());
    assertTrue(member.output().contains("(raw code "), member.toString());
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesThatQueue")
  public void shouldShowTheFaultsThatTheEnvironmentAsksFor(CclUnderTest library) {
    Map<String, String> faults =
        Map.of(
            "TOMBOLO_EMU_VERSION",
            "30405",
            "TOMBOLO_EMU_ASYNC_ERROR_AT",
            "1",
            "TOMBOLO_EMU_NO_ABORT",
            "1");
    ChildProcess member = CclMembers.run(library, "faults", 1, faults).get(0);
    assertTrue(member.output().contains("version 3.4.5"), member.toString());
    assertTrue(member.output().contains("(raw code 2)"), member.toString());
    assertTrue(member.output().contains("abort: 3 "), member.toString());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNotAbortWithAnNcclThatIsTooOldForIt() {
    Map<String, String> old =
        Map.of("TOMBOLO_EMU_VERSION", "21805", "TOMBOLO_EMU_ASYNC_ERROR_AT", "1");
    ChildProcess member = CclMembers.run(CclUnderTest.EMU_NVIDIA, "faults", 1, old).get(0);
    assertTrue(member.output().contains("version 2.18.5"), member.toString());
    assertTrue(member.output().contains("is not declared to do abort"), member.toString());
  }

  @DataProvider(parallel = true)
  public static Object[][] emulationsThatQueue() {
    return new Object[][] {
      {CclUnderTest.EMU_NVIDIA},
      {CclUnderTest.EMU_AMD},
      {CclUnderTest.EMU_ASCEND},
      {CclUnderTest.EMU_KUNLUNXIN},
      {CclUnderTest.EMU_KUNLUNXIN_XRE},
      {CclUnderTest.EMU_GAUDI}
    };
  }

  /** Where the library cannot abort, the process must be left. */
  @Test(timeOut = LIMIT_MS, dataProvider = "emulationsThatQueue")
  public void shouldHangWhenAskedToAndReleaseWhereItCanAbort(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_HANG_AT", "1");
    boolean aborts = library.dialect().capabilities().has(Flag.ABORT);
    for (ChildProcess member : CclMembers.run(library, "hang", 2, fault)) {
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertEquals(member.output().contains("released"), aborts, member.toString());
      assertEquals(member.exitCode(), 0, member.toString());
    }
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "emulationsThatQueue")
  public void shouldTakeItsTimeToJoinWhenAskedTo(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_SLOW_INIT_MS", "1500");
    for (ChildProcess member : CclMembers.run(library, "slow", 2, fault)) {
      assertTrue(member.output().contains("soon after: joining"), member.toString());
      assertTrue(member.output().contains("in the end: joined"), member.toString());
    }
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "emulationsThatQueue")
  public void shouldGiveUpJoiningWhenTheOthersNeverCome(CclUnderTest library) {
    Map<String, String> limit = Map.of("TOMBOLO_EMU_INIT_TIMEOUT_MS", "300");
    ChildProcess member = CclMembers.run(library, "lonely", 1, limit).get(0);
    assertTrue(member.output().contains("gave up"), member.toString());
    assertEquals(member.exitCode(), 0, member.toString());
  }

  /** Names under which members meet, of all jobs on this machine. */
  private static Set<String> sockets() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/net/unix"), UTF_8)) {
      return lines
          .filter(line -> line.contains("@tombolo-ccl-"))
          .map(line -> line.substring(line.indexOf('@')))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
