package io.tombolo.bench;

import io.tombolo.base.Collective;
import picocli.CommandLine;

/** {@code tombolo bench all_reduce} and its like: one command, once for each operation. */
final class CollectiveCommands {
  private CollectiveCommands() {}

  /** {@code tombolo bench all_reduce}. */
  @CommandLine.Command(name = "all_reduce")
  static final class AllReduce extends CollectiveCommand {
    AllReduce() {
      super(Collective.ALL_REDUCE);
    }
  }

  /** {@code tombolo bench reduce}. */
  @CommandLine.Command(name = "reduce")
  static final class Reduce extends CollectiveCommand {
    Reduce() {
      super(Collective.REDUCE);
    }
  }

  /** {@code tombolo bench broadcast}. */
  @CommandLine.Command(name = "broadcast")
  static final class Broadcast extends CollectiveCommand {
    Broadcast() {
      super(Collective.BROADCAST);
    }
  }

  /** {@code tombolo bench all_gather}. */
  @CommandLine.Command(name = "all_gather")
  static final class AllGather extends CollectiveCommand {
    AllGather() {
      super(Collective.ALL_GATHER);
    }
  }

  /** {@code tombolo bench reduce_scatter}. */
  @CommandLine.Command(name = "reduce_scatter")
  static final class ReduceScatter extends CollectiveCommand {
    ReduceScatter() {
      super(Collective.REDUCE_SCATTER);
    }
  }

  /** {@code tombolo bench all_to_all}. */
  @CommandLine.Command(name = "all_to_all")
  static final class AllToAll extends CollectiveCommand {
    AllToAll() {
      super(Collective.ALL_TO_ALL);
    }
  }

  /** {@code tombolo bench gather}. */
  @CommandLine.Command(name = "gather")
  static final class Gather extends CollectiveCommand {
    Gather() {
      super(Collective.GATHER);
    }
  }

  /** {@code tombolo bench scatter}. */
  @CommandLine.Command(name = "scatter")
  static final class Scatter extends CollectiveCommand {
    Scatter() {
      super(Collective.SCATTER);
    }
  }
}
