// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.Command;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.environment.WarmUpTime;
import io.tombolo.runtime.launch.JobArguments;
import io.tombolo.runtime.launch.JobLauncher;
import io.tombolo.runtime.launch.JobOptions;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JoinedJob;
import io.tombolo.runtime.launch.Joining;
import io.tombolo.topology.launch.LaunchEnvironment;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures one operation. */
@CommandLine.Command(
    description = {
      "Time ${COMMAND-NAME} over a range of sizes, and check every result bit by bit.",
      "",
      "Starts its own ranks, on this host or those of --hosts. Started by mpirun, torchrun or srun it is one rank of"
          + " that job instead; rank 0 prints. Say then which vendor each rank has, by --clusters,"
          + " --vendor or TOMBOLO_VENDOR. On one host nothing else is needed; over several,"
          + " TOMBOLO_TOKEN is, and what docs/using-it.md says of MASTER_ADDR.",
      "",
      "time is the wall time from the call to the completed work, the largest of the ranks'"
          + " medians. algbw is size / time; of n ranks, busbw is algbw × 2(n-1)/n for all_reduce,"
          + " × (n-1)/n where vectors are cut into the ranks' blocks, × 1 elsewhere. size is that"
          + " of the larger of a rank's two vectors. Roots are rank 0. send_receive is one exchange:"
          + " each rank sends to the next in a ring in which clusters take turns, and receives from"
          + " the one before. p50 and p99 are over all calls of all ranks; cold is the median of the"
          + " first 20 calls of a size, which are not among them. #wrong counts elements that are not"
          + " bit for bit as predicted, over all ranks, and inputs that a call out of place has"
          + " changed."
    },
    footer = {
      "%nExit code: 0 if nothing was wrong, 1 if a result was wrong or the job failed, 2 for wrong"
          + " usage.",
      "%nExamples:",
      "  tombolo bench ${COMMAND-NAME} -b 8 -e 64M -f 4",
      "  tombolo bench ${COMMAND-NAME} --clusters emu-nvidia:1,emu-amd:3 --type bf16",
      "  tombolo bench ${COMMAND-NAME} --order emu-nvidia,emu-amd,emu-amd,emu-nvidia --fabric tcp"
          + " --json",
      "  tombolo bench ${COMMAND-NAME} --clusters host:1,intel:1 --blocking",
      "  tombolo bench ${COMMAND-NAME} -e 8 -n 1000 --breakdown   # where the microseconds go",
      "  tombolo bench ${COMMAND-NAME} --clusters nvidia:8,amd:8 --hosts node1:8,node2:8   # by ssh",
      "  tombolo bench ${COMMAND-NAME} --hosts blue:2,red:2 --launch-by 'ip netns exec {host}'",
      "  mpirun -n 4 tombolo bench ${COMMAND-NAME} --clusters emu-nvidia:2,emu-amd:2",
      "  tombolo bench ${COMMAND-NAME} -e 1K --inject flip:1   # must find one wrong element, and"
          + " fail"
    })
final class OperationCommand implements Command {
  private final String operation;

  @Spec private CommandSpec spec;

  @Mixin private JobArguments arguments;

  @Option(
      names = {"-b", "--begin"},
      paramLabel = "SIZE",
      defaultValue = "8",
      description =
          "First size: bytes, or with K, M, G (powers of 1024), KiB, MB, … (default: ${DEFAULT-VALUE}).")
  private String begin;

  @Option(
      names = {"-e", "--end"},
      paramLabel = "SIZE",
      defaultValue = "4M",
      description = "Last size (default: ${DEFAULT-VALUE}).")
  private String end;

  @Option(
      names = {"-f", "--factor"},
      paramLabel = "N",
      defaultValue = "4",
      description = "Factor from one size to the next (default: ${DEFAULT-VALUE}).")
  private int factor;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      defaultValue = "20",
      description = "Timed calls per size (default: ${DEFAULT-VALUE}).")
  private int iterations;

  @Option(
      names = {"-w", "--warmup"},
      paramLabel = "N",
      description =
          "Calls before them (default: until their median no longer falls, or half a second).")
  private Integer warmup;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "f32",
      description =
          "Type of the elements: i8, u8, i32, u32, i64, u64, f16, bf16, f32, f64 (default:"
              + " ${DEFAULT-VALUE}).")
  private String type;

  @Option(
      names = "--op",
      paramLabel = "OP",
      defaultValue = "sum",
      description =
          "How they combine, where they do: sum, prod, min, max, avg (default: ${DEFAULT-VALUE}).")
  private String op;

  @Option(
      names = "--vendor",
      paramLabel = "VENDOR",
      description = "When joining a job: the vendor of this rank (default: $TOMBOLO_VENDOR).")
  private String vendor;

  @Option(
      names = "--inject",
      paramLabel = "flip:N",
      description =
          "Flip one bit in each of the last rank's first N results, to see that it is found.")
  private String inject;

  @Option(
      names = "--json",
      description = {
        "Print JSON lines, one object per size and placement: size, count, type, op, time_us,"
            + " predicted_us, algbw, busbw, wrong, in_place, p50_us, p99_us, min_us,"
            + " cold_us, cpu_us, longest_cycle_us, copied_bytes; with --breakdown, breakdown and"
            + " bound_us too."
      })
  private boolean json;

  @Option(
      names = "--breakdown",
      description =
          "Tell also how long calls are in each stage, from the call to the waiting thread that"
              + " goes on: p50 and p99 over all calls of all ranks.")
  private boolean breakdown;

  @Option(
      names = "--blocking",
      description =
          "Make calls that return when they have ended, as MPI's do; by default a call returns at"
              + " once, and is waited for.")
  private boolean blocking;

  @Option(
      names = "--timeline",
      paramLabel = "FILE",
      description =
          "Have rank 0 write when the last timed call of each size was in which stage on each rank,"
              + " for chrome://tracing or ui.perfetto.dev.")
  private Path timeline;

  OperationCommand(String operation) {
    this.operation = operation;
  }

  @Override
  public Integer call() {
    Settings settings =
        new Settings(
            operation,
            ByteSizes.parse(begin),
            ByteSizes.parse(end),
            factor,
            iterations,
            warmup,
            DataType.parse(type),
            ReduceOp.parse(op),
            inject,
            json,
            breakdown,
            blocking,
            timeline == null ? null : timeline.toAbsolutePath().toString());
    JobOptions options = arguments.options();
    boolean launched = LaunchEnvironment.of(System.getenv()).launcher().isPresent();
    return launched ? join(settings, options) : launch(settings, options);
  }

  private int join(Settings settings, JobOptions options) {
    Joining joining = new Joining(options, Optional.ofNullable(vendor), this::isGiven);
    try (JoinedJob job = JoinedJob.join(WarmUpTime.usual(joining.variables(System.getenv())))) {
      return verdict(new JoinedRank(job.environment(), settings, this::print).run());
    }
  }

  private boolean isGiven(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  private int launch(Settings settings, JobOptions options) {
    BenchEvents events = new BenchEvents(this::print, spec.commandLine().getErr()::println);
    JobResult result =
        JobLauncher.run(options.job(BenchRank.class, ImmutableList.of(settings.toJson())), events);
    if (!result.isSuccess()) {
      throw new PeerFailedException(
          result.failure().orElse("a rank failed without a word; --verbose shows more"));
    }
    if (events.wrong() != 0) {
      events.log().forEach(spec.commandLine().getErr()::println);
    }
    return verdict(events.wrong());
  }

  private static int verdict(long wrong) {
    if (wrong != 0) {
      throw new CorruptException("#wrong is " + wrong + ": not all results were as predicted");
    }
    return ExitCode.OK;
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
