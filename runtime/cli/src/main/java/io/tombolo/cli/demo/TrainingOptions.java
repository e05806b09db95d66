// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.train.Images;
import io.tombolo.cli.train.Schedule;
import io.tombolo.runtime.launch.JobSpec;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options that say what is trained and how; the launcher hands them on to its ranks. */
final class TrainingOptions {
  /** Says to a process that it is to take a dead rank's place. */
  static final String NEWCOMER = "--newcomer";

  private static final float MOMENTUM = 0.9f;
  private static final Duration LONGER_THAN_ANY_DEMO = Duration.ofDays(365);

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      defaultValue = "mlp",
      description = "What to train: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Model model;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "20",
      description = "Passes over the training images (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "Stop after so many batches, however many passes that is.")
  private Integer steps;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "64",
      description = "Images in one batch, over all ranks (default: ${DEFAULT-VALUE}).")
  private int batchSize;

  @Option(
      names = "--rate",
      paramLabel = "X",
      defaultValue = "0.1",
      description = "Learning rate (default: ${DEFAULT-VALUE}).")
  private float learningRate;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Seed of the first weights and of the order of the images (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--kill",
      paramLabel = "RANK@STEP",
      description = "Kill a rank before a step, to see what the others do: --kill 2@100.")
  private String kill;

  @Option(
      names = "--survive",
      description =
          "Go on without ranks that die, from the last step that a rank has made, as long as more than half of"
              + " them live.")
  private boolean survive;

  @Option(
      names = "--replace",
      description =
          "As --survive, and start a new process for each rank that is killed: the others take it in, and hand"
              + " it the weights.")
  private boolean replace;

  @Option(names = NEWCOMER, hidden = true)
  private boolean newcomer;

  /** Reads back what {@link #arguments} gave. */
  static TrainingOptions parse(String... arguments) {
    return CommandLine.populateCommand(new TrainingOptions(), arguments);
  }

  Model model() {
    return model;
  }

  /** How to train on {@code images}; checks what was asked for. */
  Schedule schedule(Images images) {
    positive("--epochs", epochs);
    positive("--batch", batchSize);
    positive("--rate", learningRate);
    if (batchSize > images.size()) {
      throw new UsageException(
          "--batch " + batchSize + " is more than the " + images.size() + " training images");
    }
    if (steps != null) {
      positive("--steps", steps);
    }
    int total = steps != null ? steps : epochs * Schedule.stepsPerEpoch(images, batchSize);
    return new Schedule(total, batchSize, learningRate, MOMENTUM, seed);
  }

  /** Who is to be killed when; {@link KillSwitch#rank} is -1 if nobody is. */
  KillSwitch killSwitch() {
    return kill == null ? new KillSwitch(-1, -1) : KillSwitch.parse(kill);
  }

  /** Whether ranks go on when others die. */
  boolean isSurviving() {
    return survive || replace;
  }

  /** Whether new processes take the places of ranks that are killed. */
  boolean isReplacing() {
    return replace;
  }

  /** Whether this process is such a new one. */
  boolean isNewcomer() {
    return newcomer;
  }

  /** How long ranks may go on after one has failed. */
  Duration grace() {
    return isSurviving() ? LONGER_THAN_ANY_DEMO : JobSpec.DEFAULT_GRACE;
  }

  /** The arguments that give another process these options. */
  ImmutableList<String> arguments() {
    ImmutableList.Builder<String> arguments = ImmutableList.builder();
    arguments.add("--model", model.name(), "--epochs", Integer.toString(epochs));
    arguments.add("--batch", Integer.toString(batchSize), "--rate", Float.toString(learningRate));
    arguments.add("--seed", Long.toString(seed));
    if (steps != null) {
      arguments.add("--steps", steps.toString());
    }
    if (kill != null) {
      arguments.add("--kill", kill);
    }
    if (survive) {
      arguments.add("--survive");
    }
    if (replace) {
      arguments.add("--replace");
    }
    return arguments.build();
  }

  private static void positive(String option, Number value) {
    if (!(value.floatValue() > 0)) {
      throw new UsageException(option + " must be more than zero, not " + value);
    }
  }
}
