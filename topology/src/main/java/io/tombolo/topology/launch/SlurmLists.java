package io.tombolo.topology.launch;

import com.google.common.base.Splitter;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The two forms of list in Slurm's variables: tasks per node, {@code 4(x2),3}, and hosts, {@code
 * node[001-004,7],login1}. Source: Slurm's manuals of srun and scontrol (show hostnames).
 */
final class SlurmLists {
  private static final Pattern TASKS = Pattern.compile("(\\d{1,9})(?:\\(x(\\d{1,9})\\))?");

  /** A name, or what stands before and after its first bracket. */
  private static final Pattern FIRST_HOST =
      Pattern.compile("([^\\[\\],]+)(?:\\[([^\\[\\],-]+)[^\\]]*\\]([^\\[\\],]*))?(?:,.*)?");

  private SlurmLists() {}

  /** How many tasks node {@code index} has; empty if the list ends before it. */
  static Optional<Sourced<Integer>> tasks(Sourced<String> list, int index) {
    long nodes = 0;
    for (String part : Splitter.on(',').trimResults().split(list.value())) {
      Matcher tasks = TASKS.matcher(part);
      if (!tasks.matches()) {
        throw new UsageException(
            list.origin() + "=" + list.value() + " is not a list such as 4(x2),3");
      }
      nodes += tasks.group(2) == null ? 1 : Long.parseLong(tasks.group(2));
      if (index < nodes) {
        return Optional.of(new Sourced<>(Integer.parseInt(tasks.group(1)), list.origin()));
      }
    }
    return Optional.empty();
  }

  /** The first host of {@code list}. */
  static Sourced<String> firstHost(Sourced<String> list) {
    Matcher host = FIRST_HOST.matcher(list.value());
    if (!host.matches()) {
      throw new UsageException(
          list.origin() + "=" + list.value() + " is not a list of hosts such as node[1-4]");
    }
    String name = host.group(1);
    if (host.group(2) != null) {
      name += host.group(2) + host.group(3);
    }
    return new Sourced<>(name, "the first of " + list.origin());
  }
}
