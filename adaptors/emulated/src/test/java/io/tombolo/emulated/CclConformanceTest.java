// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.Sets;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.testng.annotations.AfterClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * The collective libraries with a process per member, against an oracle that knows none of them.
 * Two members of each; three and four of those that {@link #larger} draws, and of all with {@code
 * -Dtombolo.full=true} (.ci/run) or {@code -Dtombolo.deep=true}.
 */
public final class CclConformanceTest {
  private static final boolean DEEP = Boolean.getBoolean("tombolo.deep");
  private static final boolean ALL_SIZES = DEEP || Boolean.getBoolean("tombolo.full");
  private static final int CYCLE_ROUNDS = DEEP ? 100 : 1;

  /** Later than {@link ChildProcess} ends the members, which tells more. */
  private static final long LIMIT_MS = 3_900_000;

  private static final Set<CclUnderTest> OWN =
      Sets.immutableEnumSet(
          EnumSet.complementOf(
              EnumSet.of(CclUnderTest.INTEL, CclUnderTest.MPI, CclUnderTest.NVIDIA)));

  /** Pairs of members, which play all their roles in the same processes. */
  private final Map<CclUnderTest, List<ChildProcess>> pairs = new ConcurrentHashMap<>();

  /** All that members did, by library; printed in the end. */
  private final Map<CclUnderTest, Conformance> table =
      Collections.synchronizedMap(new EnumMap<>(CclUnderTest.class));

  @AfterClass
  public void printTable() {
    System.out.println("conformance, members of communicators of all sizes together");
    System.out.println(Conformance.head());
    table.forEach((library, sum) -> System.out.println(sum.row(library.vendor().name())));
  }

  /**
   * Who is tried with more than two members, too: our own library in both sizes, an emulation and a
   * library of somebody else in one. The emulations share their engine, and differ in the shape of
   * their calls.
   */
  private static ImmutableSetMultimap<CclUnderTest, Integer> larger() {
    long seed = Long.getLong("tombolo.seed", System.nanoTime());
    System.out.println("larger communicators, to repeat: -Dtombolo.seed=" + seed);
    Random random = new Random(seed);
    List<CclUnderTest> emulations = OWN.stream().filter(each -> each != CclUnderTest.HOST).toList();
    List<CclUnderTest> others = List.of(CclUnderTest.INTEL, CclUnderTest.MPI);
    return ImmutableSetMultimap.<CclUnderTest, Integer>builder()
        .putAll(CclUnderTest.HOST, 3, 4)
        .put(emulations.get(random.nextInt(emulations.size())), 3 + random.nextInt(2))
        .put(others.get(random.nextInt(others.size())), 3 + random.nextInt(2))
        .build();
  }

  @DataProvider
  public static Object[][] librariesAndSizes() {
    ImmutableSetMultimap<CclUnderTest, Integer> larger = larger();
    return Arrays.stream(CclUnderTest.values())
        .flatMap(
            library ->
                IntStream.of(2, 3, 4)
                    .filter(size -> size == 2 || ALL_SIZES || larger.containsEntry(library, size))
                    .mapToObj(size -> new Object[] {library, size}))
        .toArray(Object[][]::new);
  }

  @Test(timeOut = LIMIT_MS, dataProvider = "librariesAndSizes")
  public void shouldDoEverythingDeclaredRight(CclUnderTest library, int size) {
    library.require();
    for (ChildProcess member :
        size == 2 ? pair(library) : CclMembers.run(library, "conform", size, Map.of())) {
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

  @Test(timeOut = LIMIT_MS, dataProvider = "libraries")
  public void shouldKeepTheOrderOfStreamsWhenTheHostWaitsForNothing(CclUnderTest library) {
    library.require();
    for (ChildProcess member : pair(library)) {
      List<String> rounds = member.output().lines().filter(line -> line.contains("early")).toList();
      assertEquals(rounds.size(), CclProgram.CHAINS, member.toString());
      assertEquals(Set.copyOf(rounds), Set.of("early: false, wrong: 0"), member.toString());
    }
  }

  @DataProvider
  public static Object[][] ownLibraries() {
    return OWN.stream().map(library -> new Object[] {library}).toArray(Object[][]::new);
  }

  /** 1000 times, and 100 000 times with {@code -Dtombolo.deep=true}. */
  @Test(timeOut = LIMIT_MS, dataProvider = "ownLibraries")
  public void shouldLeaveNothingBehindAfterManyCommunicatorsAndStreams(CclUnderTest library) {
    for (ChildProcess member : pair(library)) {
      Cycles cycles = Cycles.parse(member.output());
      System.out.println(library + ": " + cycles);
      assertEquals(cycles.times(), CYCLE_ROUNDS * CclProgram.CYCLES, member.toString());
      assertEquals(cycles.files(), 0, member.toString());
      assertTrue(cycles.memoryKib() < mostGrowthKib(cycles.times()), member.toString());
    }
  }

  /** Cycles come first, because they measure memory, and what others freed would hide a leak. */
  private List<ChildProcess> pair(CclUnderTest library) {
    String roles = OWN.contains(library) ? "cycles,conform,chain" : "conform,chain";
    Map<String, String> rounds = Map.of(CclProgram.CYCLE_ROUNDS, Integer.toString(CYCLE_ROUNDS));
    return pairs.computeIfAbsent(library, each -> CclMembers.run(each, roles, 2, rounds));
  }

  /**
   * What a process may grow by in {@code cycles}: a little for the JVM, and less for each than the
   * smallest thing that could be forgotten. A communicator that is not destroyed costs 4.5 KiB.
   */
  private static long mostGrowthKib(int cycles) {
    return 2048L + cycles / 3;
  }
}
