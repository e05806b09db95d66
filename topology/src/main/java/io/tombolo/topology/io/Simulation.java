// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Host;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Jobs that exist only on paper, from one line:
 *
 * <pre>
 * spec  = group { ";" group }
 * group = [ hosts "x" ] "(" item { "," item } ")"
 * item  = [ count "x" ] ( VENDOR [ "/" MODEL ] | GIGABITS "G" )
 * </pre>
 *
 * <p>{@code 2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)} is two hosts with eight accelerators and eight
 * NICs of 400 Gb/s each, and two hosts with eight and four of 200 Gb/s. Spaces do not matter.
 * Vendor strings and models become lower case. A model matters where its vendor's library does not
 * join all: {@code 1x(8xGaudi/Gaudi2);1x(8xGaudi/Gaudi3)}.
 */
public final class Simulation {
  private static final Pattern GROUP = Pattern.compile("(?:(\\d{1,9})x)?\\(([^()]*)\\)");
  private static final Pattern ITEM =
      Pattern.compile(
          "(?:(\\d{1,9})x)?(?:(\\d{1,6})[gG]|([A-Za-z][A-Za-z0-9_-]{0,31})"
              + "(?:/([A-Za-z0-9_-]{1,32}))?)");
  private static final int MAX_LENGTH = 10_000;
  private static final int MAX_PER_HOST = 64;
  private static final String EXAMPLE = "; an example: 2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)";

  private final String spec;
  private final List<Host> hosts = new ArrayList<>();
  private long ranks;

  private Simulation(String spec) {
    this.spec = spec;
  }

  /** The topology that {@code spec} describes; hosts are called host0, host1, …. */
  public static Topology parse(String spec) {
    if (spec.length() > MAX_LENGTH) {
      throw new UsageException(
          "simulated topology: a line of more than " + MAX_LENGTH + " letters" + EXAMPLE);
    }
    Simulation simulation = new Simulation(spec);
    for (String group : spec.replaceAll("\\s", "").split(";", -1)) {
      simulation.addGroup(group);
    }
    return Topology.of(simulation.hosts);
  }

  private void addGroup(String group) {
    Matcher matcher = GROUP.matcher(group);
    if (!matcher.matches()) {
      throw wrong("'" + group + "' is not [HOSTSx](ITEM,…)");
    }
    SimulatedMachine builder = new SimulatedMachine(group);
    for (String item : matcher.group(2).split(",", -1)) {
      addItem(builder, item);
    }
    long count = count(matcher.group(1));
    ranks += count * builder.ranks();
    if (hosts.size() + count > Topology.MAX_RANKS || ranks > Topology.MAX_RANKS) {
      throw wrong("more than " + Topology.MAX_RANKS + " hosts or ranks");
    }
    Machine machine = builder.build();
    for (int i = 0; i < count; i++) {
      String name = "host" + hosts.size();
      hosts.add(new Host(name, name, machine));
    }
  }

  private void addItem(SimulatedMachine builder, String item) {
    Matcher matcher = ITEM.matcher(item);
    if (!matcher.matches()) {
      throw wrong("'" + item + "' is neither [COUNTx]VENDOR[/MODEL] nor [COUNTx]GIGABITSG");
    }
    long count = count(matcher.group(1));
    if (count + builder.size() > MAX_PER_HOST) {
      throw wrong("more than " + MAX_PER_HOST + " devices in one host");
    }
    if (matcher.group(2) != null) {
      builder.addNics((int) count, positive(matcher.group(2)));
    } else {
      String vendor = matcher.group(3).toLowerCase(Locale.ROOT);
      String model = matcher.group(4) == null ? vendor : matcher.group(4).toLowerCase(Locale.ROOT);
      builder.addAccelerators((int) count, vendor, model);
    }
  }

  private long count(String digits) {
    return digits == null ? 1 : positive(digits);
  }

  private int positive(String digits) {
    int number = Integer.parseInt(digits);
    if (number == 0) {
      throw wrong("a zero");
    }
    return number;
  }

  private UsageException wrong(String complaint) {
    return new UsageException("simulated topology '" + spec + "': " + complaint + EXAMPLE);
  }
}
