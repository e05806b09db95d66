package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Capabilities.Flag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The collective libraries with a process per member, against an oracle that knows none of them.
 */
public final class CclConformanceTest {
  /** All that members did, by library; printed in the end. */
  private final Map<CclUnderTest, Conformance> table =
      Collections.synchronizedMap(new EnumMap<>(CclUnderTest.class));

  @AfterClass
  public void printTable() {
    System.out.println("conformance, members of communicators of 2, 3 and 4 together");
    System.out.println(Conformance.head());
    table.forEach((library, sum) -> System.out.println(sum.row(library.vendor().name())));
  }

  @DataProvider
  public static Object[][] librariesAndSizes() {
    return Arrays.stream(CclUnderTest.values())
        .flatMap(library -> IntStream.of(2, 3, 4).mapToObj(size -> new Object[] {library, size}))
        .toArray(Object[][]::new);
  }

  @DataProvider
  public static Object[][] ownLibraries() {
    return new Object[][] {
      {CclUnderTest.EMU_NVIDIA},
      {CclUnderTest.EMU_AMD},
      {CclUnderTest.EMU_INTEL},
      {CclUnderTest.EMU_ASCEND},
      {CclUnderTest.EMU_KUNLUNXIN},
      {CclUnderTest.EMU_KUNLUNXIN_XRE},
      {CclUnderTest.EMU_GAUDI},
      {CclUnderTest.EMU_CAMBRICON},
      {CclUnderTest.HOST}
    };
  }

  @DataProvider
  public static Object[][] librariesThatQueue() {
    return new Object[][] {{CclUnderTest.EMU_NVIDIA}, {CclUnderTest.EMU_AMD}};
  }

  @Test(dataProvider = "librariesAndSizes")
  public void shouldDoEverythingDeclaredRight(CclUnderTest library, int size) {
    library.require();
    for (ChildProcess member : run(library, "conform", size, Map.of())) {
      Conformance conformance = Conformance.of(member.output());
      table.merge(library, conformance, Conformance::plus);
      assertEquals(conformance.failed(), 0, member.toString());
      assertFalse(member.output().contains("WARNING in native method"), member.toString());
      assertFalse(member.output().contains("handler modified"), member.toString());
    }
  }

  @DataProvider
  public static Object[][] libraries() {
    return Arrays.stream(CclUnderTest.values())
        .map(library -> new Object[] {library})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "libraries")
  public void shouldKeepTheOrderOfStreamsWhenTheHostWaitsForNothing(CclUnderTest library) {
    library.require();
    for (ChildProcess member : run(library, "chain", 2, Map.of())) {
      List<String> rounds = member.output().lines().filter(line -> line.contains("early")).toList();
      assertEquals(rounds.size(), CclProgram.CHAINS, member.toString());
      assertEquals(Set.copyOf(rounds), Set.of("early: false, wrong: 0"), member.toString());
    }
  }

  @Test(dataProvider = "librariesThatQueue")
  public void shouldReleaseTheStuckMemberByAbortWhenItsPeerDied(CclUnderTest library)
      throws IOException {
    List<ChildProcess> members = run(library, "abort", 2, Map.of());
    assertTrue(members.get(0).output().contains("stuck: true"), members.toString());
    assertTrue(members.get(0).output().contains("released"), members.toString());
    assertEquals(members.get(1).exitCode(), 9, members.toString());
    assertFalse(
        Files.readString(Path.of("/proc/net/unix"), UTF_8).contains("@tombolo-ccl-"),
        "a socket was left behind");
  }

  /** Its calls block the stream's thread, so what ends a stuck one is an error of the stream. */
  @Test
  public void shouldEndTheHostLibrarysStuckCallByAbortWhenItsPeerDied() {
    ChildProcess member = run(CclUnderTest.HOST, "abort", 2, Map.of()).get(0);
    assertTrue(member.output().contains("stuck: true"), member.toString());
    assertTrue(member.output().contains("all_reduce failed (raw code 4)"), member.toString());
  }

  @Test
  public void shouldEndARegistrationByAbortWhenItsPeerDied() {
    ChildProcess member = run(CclUnderTest.HOST, "abort-register", 2, Map.of()).get(0);
    assertTrue(member.output().contains("stuck: true"), member.toString());
    assertTrue(member.output().contains("registering 1 bytes failed"), member.toString());
    assertEquals(member.exitCode(), 0, member.toString());
  }

  @Test(dataProvider = "librariesThatQueue")
  public void shouldBlockLikeTheVendorWhenBothSendFirstOutsideOfAGroup(CclUnderTest library) {
    for (ChildProcess member : run(library, "send-first", 2, Map.of())) {
      assertTrue(member.output().contains("in a group: done"), member.toString());
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertEquals(member.exitCode(), 0, member.toString());
    }
  }

  @Test(dataProvider = "librariesThatQueue")
  public void shouldWaitForEverInTwoOrdersOnlyWhenAskedTo(CclUnderTest library) {
    for (ChildProcess member : run(library, "two-orders", 2, Map.of())) {
      assertFalse(member.output().contains("SAME_ORDER_ONLY"), member.toString());
      assertTrue(member.output().contains("stuck: false"), member.toString());
    }
    Map<String, String> quirk = Map.of("TOMBOLO_EMU_SAME_ORDER_ONLY", library.vendor().name());
    for (ChildProcess member : run(library, "two-orders", 2, quirk)) {
      assertTrue(member.output().contains("SAME_ORDER_ONLY"), member.toString());
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertTrue(member.output().contains("released"), member.toString());
    }
  }

  @Test(dataProvider = "librariesThatQueue")
  public void shouldRefuseUnequalCountsWhenAskedTo(CclUnderTest library) {
    Map<String, String> quirk = Map.of("TOMBOLO_EMU_EQUAL_COUNTS_ONLY", "1");
    ChildProcess member = run(library, "unequal", 2, quirk).get(1);
    assertTrue(member.output().contains("EQUAL_COUNTS_ONLY"), member.toString());
    assertTrue(member.output().contains("(raw code 5)"), member.toString());
  }

  /** 1000 times, and 100 000 times with {@code -Dtombolo.deep=true}. */
  @Test(dataProvider = "ownLibraries")
  public void shouldLeaveNothingBehindAfterManyCommunicatorsAndStreams(CclUnderTest library) {
    int rounds = Boolean.getBoolean("tombolo.deep") ? 100 : 1;
    Map<String, String> environment = Map.of(CclProgram.CYCLE_ROUNDS, Integer.toString(rounds));
    for (ChildProcess member : run(library, "cycles", 2, environment)) {
      Cycles cycles = Cycles.parse(member.output());
      System.out.println(library + ": " + cycles);
      assertEquals(cycles.times(), rounds * CclProgram.CYCLES, member.toString());
      assertEquals(cycles.files(), 0, member.toString());
      assertTrue(cycles.memoryKib() < mostGrowthKib(cycles.times()), member.toString());
    }
  }

  /**
   * What a process may grow by in {@code cycles}: a little for the JVM, and less for each than the
   * smallest thing that could be forgotten. A communicator that is not destroyed costs 4.5 KiB.
   */
  private static long mostGrowthKib(int cycles) {
    return 2048L + cycles / 3;
  }

  @DataProvider
  public static Object[][] emulationsThatTellOfErrorsLater() {
    return Arrays.stream(CclUnderTest.values())
        .filter(library -> library.name().startsWith("EMU_"))
        .filter(library -> library.dialect().capabilities().has(Flag.ASYNC_ERROR))
        .map(library -> new Object[] {library})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "emulationsThatTellOfErrorsLater")
  public void shouldTellOfAnErrorThatComesAfterTheCall(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_ASYNC_ERROR_AT", "2");
    ChildProcess member = run(library, "async-error", 1, fault).get(0);
    assertTrue(member.output().contains("after call 1: nothing"), member.toString());
    assertTrue(member.output().contains("after call 2: "), member.toString());
    assertTrue(member.output().contains("(raw code "), member.toString());
  }

  @Test(dataProvider = "librariesThatQueue")
  public void shouldShowTheFaultsThatTheEnvironmentAsksFor(CclUnderTest library) {
    Map<String, String> faults =
        Map.of(
            "TOMBOLO_EMU_VERSION",
            "10203",
            "TOMBOLO_EMU_ASYNC_ERROR_AT",
            "1",
            "TOMBOLO_EMU_NO_ABORT",
            "1");
    ChildProcess member = run(library, "faults", 1, faults).get(0);
    assertTrue(member.output().contains("version 1.2.3"), member.toString());
    assertTrue(member.output().contains("(raw code 2)"), member.toString());
    assertTrue(member.output().contains("abort: 3 "), member.toString());
  }

  @DataProvider
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
  @Test(dataProvider = "emulationsThatQueue")
  public void shouldHangWhenAskedToAndReleaseWhereItCanAbort(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_HANG_AT", "1");
    boolean aborts = library.dialect().capabilities().has(Flag.ABORT);
    for (ChildProcess member : run(library, "hang", 2, fault)) {
      assertTrue(member.output().contains("stuck: true"), member.toString());
      assertEquals(member.output().contains("released"), aborts, member.toString());
      assertEquals(member.exitCode(), 0, member.toString());
    }
  }

  @Test(dataProvider = "emulationsThatQueue")
  public void shouldTakeItsTimeToJoinWhenAskedTo(CclUnderTest library) {
    Map<String, String> fault = Map.of("TOMBOLO_EMU_SLOW_INIT_MS", "1500");
    for (ChildProcess member : run(library, "slow", 2, fault)) {
      assertTrue(member.output().contains("soon after: joining"), member.toString());
      assertTrue(member.output().contains("in the end: joined"), member.toString());
    }
  }

  @Test(dataProvider = "emulationsThatQueue")
  public void shouldGiveUpJoiningWhenTheOthersNeverCome(CclUnderTest library) {
    Map<String, String> limit = Map.of("TOMBOLO_EMU_INIT_TIMEOUT_MS", "300");
    ChildProcess member = run(library, "lonely", 1, limit).get(0);
    assertTrue(member.output().contains("gave up"), member.toString());
    assertEquals(member.exitCode(), 0, member.toString());
  }

  private static List<ChildProcess> run(
      CclUnderTest library, String role, int size, Map<String, String> environment) {
    try {
      Path folder = Files.createTempDirectory("ccl");
      Path idFile = folder.resolve("id");
      try {
        List<CompletableFuture<ChildProcess>> members =
            IntStream.range(0, size)
                .mapToObj(rank -> start(library, role, rank, size, idFile, environment))
                .toList();
        return members.stream().map(CompletableFuture::join).toList();
      } finally {
        Files.deleteIfExists(idFile);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new AssertionError("no place for the unique id", e);
    }
  }

  private static CompletableFuture<ChildProcess> start(
      CclUnderTest library,
      String role,
      int rank,
      int size,
      Path idFile,
      Map<String, String> environment) {
    CompletableFuture<ChildProcess> result = new CompletableFuture<>();
    Map<String, String> ofMember = new HashMap<>(environment);
    ofMember.putAll(library.environment(rank));
    Thread waiter =
        new Thread(
            () -> {
              try {
                result.complete(
                    ChildProcess.run(
                        CclProgram.class,
                        ofMember,
                        library.name(),
                        role,
                        Integer.toString(rank),
                        Integer.toString(size),
                        idFile.toString()));
              } catch (Throwable e) { // an assertion of this thread belongs to the test's
                result.completeExceptionally(e);
              }
            });
    waiter.setDaemon(true);
    waiter.start();
    return result;
  }
}
