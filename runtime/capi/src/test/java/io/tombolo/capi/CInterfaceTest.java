// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Runs C programs on the library of this build, under {@code -Xcheck:jni}. */
public class CInterfaceTest {
  private static final String PROGRAMS = "src/test/programs/";
  private static final boolean FULL =
      Boolean.getBoolean("tombolo.full") || Boolean.getBoolean("tombolo.deep");

  @DataProvider
  public static Object[][] layouts() {
    return new Object[][] {
      {List.of("host", "host")}, {List.of("emu-nvidia", "emu-amd")}, {List.of("host", "emu-nvidia")}
    };
  }

  @Test(dataProvider = "layouts", timeOut = 300_000)
  public void shouldRunTheExampleOfTheManual(List<String> vendors) {
    CProgram example = CProgram.of("examples/all_reduce.c");
    for (CProgram.Ended rank : example.runJob(vendors, Map.of())) {
      assertTrue(rank.output().contains("of 2: the sum is right"), rank.output());
      assertNoComplaint(rank);
    }
  }

  /** With one type in how many; in all of them with {@code -Dtombolo.full=true}. */
  @DataProvider
  public static Object[][] conformingLayouts() {
    return new Object[][] {
      {List.of("host", "host"), 1},
      {List.of("emu-nvidia", "emu-amd", "host"), 3},
      {List.of("mpi", "mpi"), 5},
      {List.of("intel", "emu-nvidia", "intel"), 5},
    };
  }

  @Test(dataProvider = "conformingLayouts", timeOut = 300_000)
  public void shouldGiveTheOraclesResultsForAllOperationsTypesAndOperators(
      List<String> vendors, int oneIn) {
    vendors.forEach(CInterfaceTest::requireAvailable);
    int step = FULL ? 1 : oneIn;
    long seed = Long.getLong("tombolo.seed", System.nanoTime());
    long first = Math.floorMod(seed, (long) step);
    System.out.printf("%s: -Dtombolo.seed=%d, types from %d by %d%n", vendors, seed, first, step);
    CProgram.of(PROGRAMS + "conformance.c")
        .runJob(vendors, Map.of(), Long.toString(first), Integer.toString(step))
        .forEach(CInterfaceTest::assertNoComplaint);
  }

  @Test(timeOut = 300_000)
  public void shouldCarryWorksThroughThreadsTimeoutsCallbacksAndAnAbort() {
    CProgram.of(PROGRAMS + "progress.c")
        .runJob(List.of("host", "host"), Map.of())
        .forEach(CInterfaceTest::assertNoComplaint);
  }

  @Test(timeOut = 300_000)
  public void shouldKeepTheOrderOfTheProgramsStreams() {
    CProgram.of(PROGRAMS + "streams.c")
        .runJob(List.of("emu-nvidia", "host"), Map.of())
        .forEach(CInterfaceTest::assertNoComplaint);
  }

  @Test(timeOut = 300_000)
  public void shouldMeetInAStoreOfTheProgramsOwn() throws IOException {
    Path folder = Files.createTempDirectory("capi-store");
    CProgram.of(PROGRAMS + "store.c")
        .runJob(List.of("host", "host"), Map.of("TOMBOLO_TOKEN", ""), folder.toString())
        .forEach(CInterfaceTest::assertNoComplaint);
  }

  @Test(timeOut = 300_000)
  public void shouldMeetByAnIdThatIsHandedOver() throws IOException {
    String folder = Files.createTempDirectory("capi-id").toString();
    CProgram.of(PROGRAMS + "meet_by_id.c")
        .runAll(List.of(List.of(folder, "0"), List.of(folder, "1")))
        .forEach(CInterfaceTest::assertEndsWell);
  }

  @Test(timeOut = 300_000)
  public void shouldConnectJobsThatWereStartedApart() {
    String address = "127.0.0.1:" + FreePort.find();
    CProgram.of(PROGRAMS + "jobs.c")
        .runAll(List.of(List.of("accept", address), List.of("connect", address)))
        .forEach(CInterfaceTest::assertEndsWell);
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseAForkedChildAtOnce() {
    CProgram.of(PROGRAMS + "fork.c").runJob(List.of("host"), Map.of());
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseMisuseAndSayWhy() {
    assertEndsWell(CProgram.of(PROGRAMS + "misuse.c").run(Map.of()));
  }

  @Test(timeOut = 300_000)
  public void shouldLeaveNothingBehindAfterManyCommunicators() {
    assertEndsWell(CProgram.of(PROGRAMS + "cycles.c").run(Map.of(), "30"));
  }

  /** 128 and SIGTERM's number, as Java's Process has it. */
  @Test(timeOut = 300_000)
  public void shouldLeaveSignalsToTheProgram() {
    CProgram program = CProgram.of(PROGRAMS + "signals.c");
    CProgram.Ended end =
        program.run(
            Map.of(
                "RANK", "0",
                "LOCAL_RANK", "0",
                "WORLD_SIZE", "1",
                "MASTER_ADDR", "127.0.0.1",
                "MASTER_PORT", Integer.toString(FreePort.find()),
                "TOMBOLO_TOKEN", "00".repeat(32),
                "TOMBOLO_VENDOR", "host"));
    assertEquals(end.status(), 143, end.output());
    assertTrue(end.output().contains("now to be terminated"), end.output());
  }

  @Test(timeOut = 300_000)
  public void shouldSayThatTheJarsAreMissing() {
    CProgram.Ended end =
        CProgram.of("examples/all_reduce.c")
            .run(Map.of("TOMBOLO_CLASS_PATH", "/nowhere/tombolo.jar"));
    assertEquals(end.status(), 1, end.output());
    assertTrue(end.output().contains("TOMBOLO_NO_JAVA"), end.output());
    assertTrue(end.output().contains("must be of one build"), end.output());
  }

  /** As JVMs print their flags, in a process that gets no further. */
  @Test(timeOut = 300_000)
  public void shouldStartJavaWithTheCompilersThatItsJobNeeds() {
    Pattern firstAlone = Pattern.compile("TieredStopAtLevel += 1 ");
    assertTrue(firstAlone.matcher(flagsOfRankAmong("4", "")).find());
    assertFalse(firstAlone.matcher(flagsOfRankAmong("2", "")).find());
    assertTrue(firstAlone.matcher(flagsOfRankAmong("2", " -XX:TieredStopAtLevel=1")).find());
    Pattern early = Pattern.compile("CompileThresholdScaling += 0\\.10* ");
    assertTrue(early.matcher(flagsOfRankAmong("4", "")).find());
    assertFalse(early.matcher(flagsOfRankAmong("2", "")).find());
  }

  private static String flagsOfRankAmong(String ranksOfThisHost, String more) {
    CProgram.Ended end =
        CProgram.of("examples/all_reduce.c")
            .run(
                Map.of(
                    "RANK", "0",
                    "WORLD_SIZE", "4",
                    "LOCAL_RANK", "0",
                    "LOCAL_WORLD_SIZE", ranksOfThisHost,
                    "TOMBOLO_VENDOR", "nobody",
                    "TOMBOLO_FABRICS", "",
                    "TOMBOLO_JAVA_OPTS", "-XX:+PrintFlagsFinal" + more));
    assertEquals(end.status(), 1, end.output());
    assertTrue(end.output().contains("TieredStopAtLevel"), end.output());
    return end.output();
  }

  /** As torch's groups, which count the ranks of their host themselves. */
  @Test(timeOut = 300_000)
  public void shouldBelieveTheProgramBeforeTheEnvironment() {
    Pattern firstAlone = Pattern.compile("TieredStopAtLevel += 1 ");
    CProgram program = CProgram.of(PROGRAMS + "compilers.c");
    assertTrue(firstAlone.matcher(flags(program, "4", "tcp")).find());
    assertFalse(firstAlone.matcher(flags(program, "2", "tcp")).find());
    assertFalse(firstAlone.matcher(flags(program, "4", "udp")).find());
  }

  private static String flags(CProgram program, String ranksOfThisHost, String fabrics) {
    Map<String, String> flags = Map.of("TOMBOLO_JAVA_OPTS", "-XX:+PrintFlagsFinal");
    CProgram.Ended end = program.run(flags, ranksOfThisHost, "fabrics=" + fabrics);
    assertEndsWell(end);
    assertTrue(end.output().contains("TieredStopAtLevel"), end.output());
    return end.output();
  }

  @Test(dataProvider = "layouts", timeOut = 300_000)
  public void shouldLetProcessesEndThatForgetTheirCommunicators(List<String> vendors) {
    CProgram.of(PROGRAMS + "endings.c").runJob(vendors, Map.of());
  }

  @Test(timeOut = 300_000)
  public void shouldGoOnWithoutARankThatDied() {
    CProgram.of(PROGRAMS + "survivors.c")
        .runJob(List.of("host", "emu-nvidia", "emu-nvidia"), Map.of());
  }

  private static void requireAvailable(String vendor) {
    if (Vendors.named(vendor).availability() instanceof Availability.Missing missing) {
      throw new SkipException(missing.cause() + "; " + missing.fix());
    }
  }

  private static void assertEndsWell(CProgram.Ended end) {
    assertEquals(end.status(), 0, end.output());
    assertNoComplaint(end);
  }

  private static void assertNoComplaint(CProgram.Ended end) {
    assertFalse(end.output().contains("WARNING"), end.output());
    assertFalse(end.output().contains("FATAL ERROR"), end.output());
  }
}
