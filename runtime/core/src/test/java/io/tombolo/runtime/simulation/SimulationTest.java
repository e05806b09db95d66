// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Whole communicators in simulated worlds: their real code, of which a seed decides which thread
 * runs when, how long packets take, and what goes wrong. A run depends on its seed and the code
 * alone, in a process of its own; so the seeds are the same each time, and how busy the machine is
 * does not matter.
 */
public class SimulationTest {
  /** Meets faults. */
  private static final String JOB = "SimulatedJob";

  /** Two of its ranks are cut off from each other alone. */
  private static final String CUT = "SimulatedCut";

  /** Meets no fault, but is used in many ways. */
  private static final String USE = "SimulatedUse";

  /** One of its ranks leaves a part, and the others do not. */
  private static final String LEAVING = "SimulatedLeaving";

  private static final String TCP = "io/tombolo/rdma/tcp/";
  private static final String ADMISSION = "exec/submit/Admission";
  private static final String OPERATION = "exec/submit/SubmittedOperation";

  private static final long SEEDS = Integer.getInteger("tombolo.sim.seeds", 1_000) / 5;

  /** Of scenes in which less can happen. */
  private static final long FEWER_SEEDS = SEEDS / 8;

  /** Which are run twice: one in so many of so many. */
  private static final long TWICE_ONE_IN = 20;

  private static final long TWICE_OF = 100;

  private final RewritingLoader loader = new RewritingLoader(UnaryOperator.identity());

  /** Those with no process that runs seeds of a mutant. */
  private final BlockingQueue<Integer> freeProcessors = new LinkedBlockingQueue<>();

  @BeforeClass
  void setUp() throws IOException {
    freeProcessors.addAll(SeedProcess.processors());
  }

  @Test(timeOut = 14_400_000)
  public void shouldEndWellOrTogetherAndInTimeWhateverGoesWrong() throws Exception {
    run(JOB, SEEDS);
  }

  @Test(timeOut = 14_400_000)
  public void shouldNameTheTwoThatAreCutOffFromEachOther() throws Exception {
    run(CUT, FEWER_SEEDS);
  }

  @Test(timeOut = 14_400_000)
  public void shouldBearCarelessUse() throws Exception {
    run(USE, FEWER_SEEDS);
  }

  @Test(timeOut = 14_400_000)
  public void shouldGoOnWithoutOneThatHasLeft() throws Exception {
    run(LEAVING, FEWER_SEEDS);
  }

  private void run(String scene, long seeds) throws Exception {
    Long one = Long.getLong("tombolo.seed");
    if (one == null) {
      SeedProcess.runAll(scene, seeds);
      return;
    }
    Optional<AssertionError> error = SomeSeeds.errorOf(loader, scene, one);
    if (error.isPresent()) {
      throw error.get();
    }
  }

  /** In a process that does nothing else; what other tests leave behind can show in a run. */
  @Test(timeOut = 600_000)
  public void shouldRepeatARunExactly() throws IOException, InterruptedException {
    SeedProcess.run(SeedProcess.processors().get(0), Twice.class, List.of());
  }

  /** Runs some seeds twice. */
  static final class Twice {
    private Twice() {}

    /** Fails if a seed goes another way the second time. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
      RewritingLoader once = new RewritingLoader(UnaryOperator.identity());
      RewritingLoader again = new RewritingLoader(UnaryOperator.identity());
      for (String scene : List.of(JOB, CUT, USE, LEAVING)) {
        for (long seed = 0; seed < TWICE_OF; seed += TWICE_ONE_IN) {
          Trace first = Simulation.run(seed, SomeSeeds.scene(once, scene));
          Trace second = Simulation.run(seed, SomeSeeds.scene(again, scene));
          assertEquals(
              second.sums(),
              first.sums(),
              "%s: seed %s goes another way after step %s"
                  .formatted(scene, seed, first.sameUntil(second)));
        }
      }
    }
  }

  @Test(timeOut = 600_000)
  public void shouldGoAnotherWayWithAnotherSeed() throws Exception {
    assertNotEquals(
        Simulation.run(1, SomeSeeds.scene(loader, JOB)).sums(),
        Simulation.run(2, SomeSeeds.scene(loader, JOB)).sums());
  }

  @DataProvider(parallel = true)
  static Object[][] mutants() {
    return new Object[][] {
      {JOB, mutant("others are not told of a failure", "JobFailures", "tellOthers", "", 0)},
      {JOB, mutant("a wait at the store goes on after a failure", "store/Waits", "end", "", 0)},
      {JOB, mutant("requests wait for waits", "store/StoreLink", "patienceMs", "get", 0)},
      {JOB, mutant("nobody sees that others live", "bootstrap/Heartbeat", "look", "", 0)},
      {JOB, mutant("calls that differ are made", "exec/vote/CallCheck", "decide", "isPresent", 0)},
      {JOB, mutant("a barrier waits for nobody", "exec/vote/CallCheck", "agreed", "", 1)},
      {JOB, mutant("what fails in a half ends the whole", "RankGroup", "tellOthers", "id", 0)},
      {JOB, mutant("a majority is told that it is none", "Shrink", "of", "size", 5)},
      {CUT, new Mutant("who waits is not told", TCP + "TcpSocket", "configured", "isZero", 1)},
      {CUT, new Mutant("who sends is not told", TCP + "TcpAnswers", "check", "", 0)},
      {USE, mutant("calls go on after close", "UseCheck", "requireOpen", "isShut", 0)},
      {USE, mutant("a call can be aborted after close", ADMISSION, "requireOpen", "closed", 0)},
      {USE, mutant("streams are not looked at", "exec/submit/CallRefusals", "require", "", 0)},
      {USE, mutant("the 65th call throws", "exec/submit/CallerWaits", "awaitStubbornly", "", 0)},
      {USE, mutant("a barrier in a group is none", OPERATION, "meets", "size", 1)},
      {USE, mutant("nobody joins after a failure", "bootstrap/JobRound", "awaitEnd", "isEmpty", 1)},
      {USE, mutant("a group leaves its keys behind", "GroupKeys", "clear", "", 0)},
      {USE, mutantOfBase("long times overflow", "Deadline", "bounded", "compareTo", 0)},
      {USE, mutantOfBase("what goes on is given up", "errors/Advice", "communicatorUsable", "", 0)},
    };
  }

  private static Mutant mutant(String what, String type, String method, String call, int gives) {
    return new Mutant(what, "io/tombolo/runtime/" + type, method, call, gives);
  }

  private static Mutant mutantOfBase(
      String what, String type, String method, String call, int gives) {
    return new Mutant(what, "io/tombolo/base/" + type, method, call, gives);
  }

  @Test(dataProvider = "mutants", timeOut = 600_000)
  public void shouldFindWhatIsPutBack(String scene, Mutant mutant) throws Exception {
    int processor = freeProcessors.take();
    try {
      SeedProcess.run(
          processor,
          SeedsOfMutant.class,
          ImmutableList.<String>builder().add(scene).addAll(mutant.words()).build());
    } finally {
      freeProcessors.add(processor);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldSayWhoWaitsWhenAllWaitForEver() {
    AssertionError e =
        expectThrows(
            AssertionError.class,
            () -> Simulation.run(1, world -> world.awaitCondition(() -> false, Long.MAX_VALUE)));
    assertTrue(e.getMessage().contains("all wait for ever:\nscene/scene#0"), e.getMessage());
  }
}
