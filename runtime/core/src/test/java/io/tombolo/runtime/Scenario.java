// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;

/**
 * One thing that happens to a job of real processes.
 *
 * @param victim whom it happens to
 * @param blow what happens
 * @param moment what the ranks do meanwhile
 * @param over which libraries
 */
record Scenario(Victim victim, Blow blow, Moment moment, Over over) {
  /** Whom it happens to. */
  enum Victim {
    RANK_0,
    /** Hosts the store, too, as under mpirun. */
    RANK_0_WITH_STORE,
    /** Is no rank, as a launcher. */
    STORE_HOST,
    MIDDLE,
    ALL
  }

  /** What happens to it. */
  enum Blow {
    KILL,
    STOP,
    /** Longer than anybody may be silent. */
    STOP_AND_CONTINUE,
    /** Nothing that it and the store send each other arrives any more; what ranks send does. */
    CUT_OFF,
    /** Its connections to the store end, and no others. */
    HANG_UP;

    /** Whether the victim lives on and works, without the store. */
    boolean spares() {
      return this == CUT_OFF || this == HANG_UP;
    }
  }

  /** What the ranks do meanwhile. */
  enum Moment {
    /** The others begin to join once it has happened. */
    BEFORE_JOIN,
    JOIN,
    IDLE,
    COLLECTIVE,
    SPLIT,
    /** Each half of the ranks has a communicator of its own. */
    HALVES,
    /** After the last rank was killed. */
    SHRINK,
    /** After that, and once the victim has agreed with the others that it goes on with them. */
    AGREED
  }

  /** Whose devices and libraries the ranks have. */
  enum Over {
    HOST("host", "host", "host", "host", "host"),
    EMULATED("emu-nvidia", "emu-amd", "emu-amd", "emu-nvidia", "emu-nvidia"),
    ONE_CCL("intel", "intel", "host", "host", "host");

    private final ImmutableList<String> names;

    Over(String... names) {
      this.names = ImmutableList.copyOf(names);
    }

    String of(int rank) {
      return names.get(rank);
    }
  }

  /** The victim in {@link Moment#AGREED}. */
  static final int AGREEING = 1;

  private static final int RANKS = 3;

  private static final int RANKS_OF_HALVES = 4;

  /** Of those that go on when one was killed, one more may die. */
  private static final int RANKS_TO_SHRINK = 5;

  int size() {
    return switch (moment) {
      case SHRINK, AGREED -> RANKS_TO_SHRINK;
      case HALVES -> RANKS_OF_HALVES;
      case BEFORE_JOIN, JOIN, IDLE, COLLECTIVE, SPLIT -> RANKS;
    };
  }

  /** Whether this happens to {@code rank}. */
  boolean strikes(int rank) {
    return switch (victim) {
      case RANK_0, RANK_0_WITH_STORE -> rank == 0;
      case STORE_HOST -> false;
      case MIDDLE -> rank == 1;
      case ALL -> true;
    };
  }

  /** What every survivor's error names. */
  String named() {
    return switch (victim) {
      case RANK_0, RANK_0_WITH_STORE -> "rank 0";
      case STORE_HOST -> "the store at 127.0.0.1:";
      case MIDDLE -> "rank 1";
      case ALL -> "";
    };
  }

  /**
   * The rank that comes only once the others have been struck while they join, so that they are not
   * through before: not the victim, nor who looks after it. {@link #size} if all come at once.
   */
  int late() {
    return moment == Moment.JOIN ? (victim == Victim.MIDDLE ? 2 : 1) : size();
  }

  @Override
  public String toString() {
    return "%s %s in %s over %s".formatted(blow, victim, moment, over);
  }
}
