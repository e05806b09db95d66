// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.Command;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.faulty.Faults;
import io.tombolo.rdma.faulty.Quantities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tombolo bench p2p}. */
@CommandLine.Command(
    name = "p2p",
    description = {
      "Carry messages over a link on which packets get lost, and see what it costs.",
      "",
      "What goes wrong is decided by the seed, for each packet, both ways. sim is simulated time:"
          + " the same seed gives the same result. udp is real sockets on this host's loopback,"
          + " with the faults before them; one thread drives both ends.",
      "",
      "goodput is payload that arrived per second, after a quarter of it went to warm up; %%opt is"
          + " that in percent of (1-p) x rate, p per packet, headers included in the rate. rack,"
          + " count, probe and timeout are the repeats by their cause; spurious those in vain. rec"
          + " is the time from the first transmission of a repeated packet to its acknowledgement.",
      "",
      "The others are the fabrics of this machine, between two ends in one process; each may be"
          + " compared with the others (--against rc,tcp). uc and ud have the faults before the"
          + " device; on the rest, what goes wrong is the network's business, so they take no"
          + " faults. rc, uc and ud take TOMBOLO_IBVERBS and TOMBOLO_RDMA_DEVICE, which may name"
          + " one device for each end: rxe0,rxe1.",
      "",
      "--against on udp and sim: go-back-n is what reliable connections of RDMA hardware do; tcp is"
          + " TCP's idea of congestion (Reno, RFC 5681: loss halves the window) in our protocol, on"
          + " the same link. The kernel's own TCP would need netem."
    },
    footer = {
      "%nExit code: 0, or 1 if a run failed, 2 for wrong usage.",
      "%nExamples:",
      "  tombolo bench p2p --fabric sim --loss 1%% --reorder 5%% --duplicate 1%% --delay 50us"
          + " --rate 1Gbit --seed 42",
      "  tombolo bench p2p --fabric udp --loss 1%% --delay 5ms --rate 1Gbit --against"
          + " tcp,go-back-n",
      "  tombolo bench p2p --fabric sim --delay 500us --rate 8Gbit --sweep goodput.svg --against"
          + " go-back-n",
      "  TOMBOLO_RDMA_DEVICE=rxe0,rxe1 tombolo bench p2p --fabric uc --against rc",
      "  tombolo bench p2p --fabric udp --volume 512M --json    # no faults, no rate: what one core"
          + " sustains"
    })
public final class P2pCommand implements Command {
  private static final ImmutableList<Double> SWEEP =
      ImmutableList.of(0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1);

  @Spec private CommandSpec spec;

  @Option(
      names = "--fabric",
      paramLabel = "FABRIC",
      defaultValue = UdpCandidate.FABRIC,
      description =
          "What carries the packets: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
      completionCandidates = LinkChoices.class)
  private String fabric;

  @Option(
      names = "--loss",
      paramLabel = "P",
      defaultValue = "0%",
      description = "Packets that vanish (default: ${DEFAULT-VALUE}).")
  private String loss;

  @Option(
      names = "--reorder",
      paramLabel = "P[:TIME]",
      defaultValue = "0%",
      description =
          "Packets that are held back alone, by TIME at most (default: ${DEFAULT-VALUE}).")
  private String reorder;

  @Option(
      names = "--duplicate",
      paramLabel = "P",
      defaultValue = "0%",
      description = "Packets that arrive twice (default: ${DEFAULT-VALUE}).")
  private String duplicate;

  @Option(
      names = "--clog",
      paramLabel = "P[:TIME]",
      defaultValue = "0%",
      description =
          "Packets with which the link begins to hold everything back, for TIME on average"
              + " (default: ${DEFAULT-VALUE}).")
  private String clog;

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      defaultValue = "0us",
      description = "One way: ns, us, ms, s (default: ${DEFAULT-VALUE}).")
  private String delay;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description = "What the link carries: kbit, Mbit, Gbit, MB, GB a second (default: no limit).")
  private String rate;

  @Option(
      names = "--queue",
      paramLabel = "SIZE",
      defaultValue = "4M",
      description = "What waits for the link before more is dropped (default: ${DEFAULT-VALUE}).")
  private String queue;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "What chance goes by; each further run adds 1 (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "1M",
      description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
  private String size;

  @Option(
      names = "--volume",
      paramLabel = "SIZE",
      defaultValue = "96M",
      description = "Bytes of all messages of a run (default: ${DEFAULT-VALUE}).")
  private String volume;

  @Option(
      names = "--packet",
      paramLabel = "BYTES",
      defaultValue = "4096",
      description = "Payload of a packet (default: ${DEFAULT-VALUE}).")
  private int packet;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "3",
      description = "Runs of each, in turn; the median counts (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Option(
      names = "--against",
      paramLabel = "NAME,…",
      defaultValue = "",
      description = "Competitors: tcp and go-back-n on the same link, or other fabrics.")
  private String against;

  @Option(
      names = "--sweep",
      paramLabel = "FILE",
      description =
          "Instead of --loss: 0, 0.1, 0.5, 1, 2, 5 and 10 %% one after the other, and a picture of"
              + " it as SVG.")
  private Path sweep;

  @Option(
      names = "--json",
      description = {
        "Print JSON lines, one object per candidate and loss: fabric, protocol, loss, goodput,"
            + " optimum_percent, seconds, payload_bytes, wire_bytes, packets_per_second,"
            + " resent_by_time, resent_by_count, resent_by_probe, resent_by_timeout, spurious,"
            + " recovery {count, p50_us, p99_us, max_us, histogram}, allocated_bytes_per_message."
      })
  private boolean json;

  @Override
  public Integer call() {
    if (runs < 1) {
      throw new UsageException("at least one run, not " + runs);
    }
    Trial trial = trial();
    Tournament tournament = new Tournament(fabric, protocols(), runs, this::progress);
    OutcomePrinter printer = new OutcomePrinter(this::print, json);
    printer.header(trial, runs);
    List<LossResult> outcomes = new ArrayList<>();
    for (double each : sweep == null ? List.of(trial.plan().lossProbability()) : SWEEP) {
      ImmutableList<LossResult> played = tournament.play(trial.withLoss(each));
      played.forEach(printer::print);
      outcomes.addAll(played);
    }
    if (sweep == null) {
      outcomes.forEach(printer::histogram);
    } else {
      write(new GoodputPlot(outcomes).svg());
    }
    return ExitCode.OK;
  }

  private Trial trial() {
    String words =
        "loss=%s,reorder=%s,duplicate=%s,clog=%s,delay=%s,seed=%d"
            .formatted(loss, reorder, duplicate, clog, delay, seed);
    Faults faults = Faults.parse(words);
    if (rate != null) {
      long queueBytes = ByteSizes.parse(queue);
      faults =
          new Faults(
              faults.plan().withRate(Quantities.bytesPerSecond(rate), queueBytes), faults.seed());
    }
    long messageBytes = ByteSizes.parse(size);
    long messages = Math.max(2, ByteSizes.parse(volume) / Math.max(1, messageBytes));
    return new Trial(
        faults,
        (int) Math.min(Integer.MAX_VALUE, messageBytes),
        (int) Math.min(Integer.MAX_VALUE, messages),
        packet);
  }

  private ImmutableList<String> protocols() {
    return ImmutableList.<String>builder()
        .add(Candidates.OURS)
        .addAll(Splitter.on(',').trimResults().omitEmptyStrings().split(against))
        .build();
  }

  private void write(String picture) {
    try {
      Files.writeString(sweep, picture);
    } catch (IOException e) {
      throw new ResourceException("cannot write " + sweep + ": " + e.getMessage());
    }
    progress("the picture is in " + sweep);
  }

  /** On the error stream, so that what is measured can be piped on. */
  private void progress(String what) {
    spec.commandLine().getErr().println("# " + what);
    spec.commandLine().getErr().flush();
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
