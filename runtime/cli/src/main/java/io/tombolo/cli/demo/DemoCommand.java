// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.GsonBuilder;
import io.tombolo.base.Command;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.cli.console.Console;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.Schedule;
import io.tombolo.runtime.launch.JobArguments;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobOptions;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo demo}. */
@CommandLine.Command(
    name = "demo",
    description = {
      "Train a classifier of handwritten digits on several vendors' devices at once, and check the result.",
      "",
      "Starts one process per rank, on this host or those of --hosts. Each computes its share of every batch; the gradients are summed"
          + " over all of them by all_reduce, in the devices' memory. The job is good if all ranks end with"
          + " bit-identical weights, moved exactly the bytes that were planned, and reach the accuracy (± 0.5 points)"
          + " of the same training in one process, which runs too. Vendors called emu-… are emulated."
    },
    footer = {
      "%nExit code: 0 if all of that holds, 1 if not or if a rank failed, 2 for wrong usage.",
      "%nData: " + Digits.ATTRIBUTION + ".",
      "%nExamples:",
      "  tombolo demo",
      "  tombolo demo --order emu-nvidia,emu-amd,emu-amd,emu-nvidia",
      "  tombolo demo --clusters emu-nvidia:1,emu-amd:3 --model softmax --fabric tcp",
      "  tombolo demo --clusters intel:2,emu-nvidia:2   # Intel's real library: tombolo get oneccl",
      "  tombolo demo --hosts node1:2,node2:2           # on other hosts, by ssh",
      "  tombolo demo --kill 2@100                      # what a killed rank looks like",
      "  tombolo demo --kill 2@100 --survive            # ... and how the others go on without it",
      "  tombolo demo --kill 2@100 --replace            # ... or with a new process in its place"
    })
public final class DemoCommand implements Command {
  /** Ranks live for seconds: compiling thoroughly would cost more than it gains. */
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

  @Spec private CommandSpec spec;

  @Mixin private JobArguments arguments;

  @Mixin private TrainingOptions training;

  @Option(
      names = "--json",
      description = "Print one JSON object at the end instead; of a job that fails, {ok, failure}.")
  private boolean json;

  /**
   * What {@code --json} shows of a job that came to nothing.
   *
   * @param ok false
   * @param failure who failed and how
   */
  private record Failed(boolean ok, String failure) {}

  @Override
  public Integer call() {
    Digits digits = Digits.load();
    Schedule schedule = training.schedule(digits.train());
    JobOptions options = arguments.options();
    JobSpec job =
        options
            .job(DemoRank.class, training.arguments(), QUICK_START)
            .withTimes(options.timeout(), training.grace());
    if (training.isReplacing()) {
      job = job.withReplacements(TrainingOptions.NEWCOMER);
    }
    training.killSwitch().checkComes(job.vendors().size(), schedule.steps());
    View view = new View(json ? Console.silent() : Console.of(spec), schedule.steps());
    view.starting(options.clusterSpec());
    DemoEvents events =
        new DemoEvents(view, training.model(), digits, schedule, job.vendors().size());
    JobResult result = JobLauncher.run(job, events);
    if (!result.isSuccess() && !events.haveSurvivorsFinished()) {
      view.interrupted();
      String failure =
          result.failure().orElse("a rank failed without a word; --verbose shows more");
      if (json) {
        printJson(new Failed(false, failure));
      }
      if (training.isSurviving()) { // why the others did not go on
        events.log().forEach(spec.commandLine().getErr()::println);
      }
      throw new PeerFailedException(failure);
    }
    view.comparing();
    Outcome outcome =
        new Outcome(events.finished(), events.survivors(), AloneTraining.accuracy(training));
    view.outcome(outcome);
    if (!outcome.isGood()) {
      events.log().forEach(spec.commandLine().getErr()::println);
    }
    if (json) {
      printJson(Summary.of(events.joined(), schedule, outcome));
    }
    return outcome.isGood() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private void printJson(Object summary) {
    spec.commandLine()
        .getOut()
        .println(
            new GsonBuilder()
                .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(summary));
    spec.commandLine().getOut().flush();
  }
}
