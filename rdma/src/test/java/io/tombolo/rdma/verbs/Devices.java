// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.vm.Netem;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/**
 * The two devices that reach each other where a test runs, and what can be done to their network:
 * Soft-RoCE in the virtual machine, the emulated HCA everywhere else. So the two bear witness of
 * each other.
 */
public final class Devices {
  private static final boolean SOFT_ROCE = Boolean.getBoolean("tombolo.rdma.vm");

  private Devices() {}

  /** Opens device 0 or 1. */
  static NicPort open(int index) {
    return SOFT_ROCE
        ? NicPort.open(VerbsSettings.defaults().withDevice("rxe" + index))
        : openIn(0, index);
  }

  /** Opens emulated device 0 or 1 for that partition; Soft-RoCE has only one. */
  static NicPort openIn(int partition, int index) {
    Map<String, String> settings =
        Map.of("ibverbs", EmulatedHca.library(), "rdma_pkey_index", Integer.toString(partition));
    return NicPort.open(VerbsSettings.from(settings).withDevice(EmulatedHca.device(index)));
  }

  /**
   * Emulated devices that are opened from now on are in a network of this process, where no other
   * takes the number that a queue pair is to get; until {@link #leaveOwnNetwork}.
   */
  static void enterOwnNetwork() {
    EmulatedHca.set("FABRIC", ownNetwork());
  }

  /** The same, into one called {@code name} that no other test of this process has used. */
  public static void enterOwnNetwork(String name) {
    EmulatedHca.set("FABRIC", ownNetwork() + "-" + name);
  }

  private static String ownNetwork() {
    return "of-" + ProcessHandle.current().pid();
  }

  /** Back to the network of all processes that were started alike. */
  public static void leaveOwnNetwork() {
    EmulatedHca.set("FABRIC", System.getenv().getOrDefault("TOMBOLO_HCA_FABRIC", "default"));
  }

  /** Both ways' packets are lost, and arrive twice, at these rates until closed. */
  public static Trouble trouble(int lossPercent, int duplicatePercent)
      throws IOException, InterruptedException {
    if (!SOFT_ROCE) {
      set(lossPercent, duplicatePercent);
      return () -> set(0, 0);
    }
    String rules =
        String.format(Locale.ROOT, "loss %d%% duplicate %d%%", lossPercent, duplicatePercent);
    Netem there = Netem.on("v0", rules);
    Netem back = Netem.on("v1", rules);
    return () -> {
      there.close();
      back.close();
    };
  }

  private static void set(int lossPercent, int duplicatePercent) {
    EmulatedHca.set("LOSS_PERCENT", Integer.toString(lossPercent));
    EmulatedHca.set("DUPLICATE_PERCENT", Integer.toString(duplicatePercent));
  }

  /** Ends when closed. */
  public interface Trouble extends AutoCloseable {
    @Override
    void close() throws IOException, InterruptedException;
  }
}
