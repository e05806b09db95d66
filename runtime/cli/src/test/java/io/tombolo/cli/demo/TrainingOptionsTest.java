// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.train.Digits;
import org.testng.annotations.Test;

public class TrainingOptionsTest {

  @Test
  public void shouldReachRanksUnchanged() {
    TrainingOptions options =
        TrainingOptions.parse(
            "--model",
            "SOFTMAX",
            "--steps",
            "7",
            "--batch",
            "32",
            "--rate",
            "0.3",
            "--seed",
            "-9",
            "--kill",
            "1@3",
            "--survive",
            "--replace");
    TrainingOptions handedOn = TrainingOptions.parse(options.arguments().toArray(String[]::new));
    assertEquals(handedOn.arguments(), options.arguments());
    assertEquals(handedOn.schedule(Digits.load().train()), options.schedule(Digits.load().train()));
    assertEquals(handedOn.killSwitch(), new KillSwitch(1, 3));
    assertTrue(handedOn.isSurviving());
    assertTrue(handedOn.isReplacing());
  }

  @Test
  public void shouldTurnEpochsIntoSteps() {
    assertEquals(
        TrainingOptions.parse("--epochs", "3").schedule(Digits.load().train()).steps(), 3 * 22);
    assertEquals(
        TrainingOptions.parse("--epochs", "3", "--steps", "5")
            .schedule(Digits.load().train())
            .steps(),
        5);
  }

  @Test
  public void shouldRefuseWhatCannotTrain() {
    for (String[] arguments :
        new String[][] {
          {"--epochs", "0"},
          {"--steps", "-1"},
          {"--batch", "0"},
          {"--batch", "2000"},
          {"--rate", "NaN"}
        }) {
      assertThrows(
          UsageException.class,
          () -> TrainingOptions.parse(arguments).schedule(Digits.load().train()));
    }
    assertThrows(UsageException.class, () -> TrainingOptions.parse("--kill", "now").killSwitch());
  }
}
