// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.vm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the guest's kernel does to the packets that leave one end of the pair, until closed; see
 * {@code man tc-netem}.
 */
public final class Netem implements AutoCloseable {
  private static final Pattern DROPPED = Pattern.compile("\\(dropped (\\d+),");

  private final String device;

  private Netem(String device) {
    this.device = device;
  }

  /** Netem on {@code device}, such as {@code v0}, with {@code rules} such as {@code loss 1%}. */
  public static Netem on(String device, String rules) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("tc", "qdisc", "add", "dev", device, "root", "netem"));
    command.addAll(List.of(rules.split(" ")));
    GuestCommand.run(command.toArray(String[]::new));
    return new Netem(device);
  }

  /** Packets dropped here until now. */
  public long dropped() throws IOException, InterruptedException {
    String statistics = GuestCommand.run("tc", "-s", "qdisc", "show", "dev", device);
    Matcher matcher = DROPPED.matcher(statistics);
    if (!matcher.find()) {
      throw new AssertionError("tc names no dropped packets: " + statistics);
    }
    return Long.parseLong(matcher.group(1));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    GuestCommand.run("tc", "qdisc", "del", "dev", device, "root");
  }
}
