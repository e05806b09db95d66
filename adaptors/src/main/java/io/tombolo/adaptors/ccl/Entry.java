package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Collective;
import java.util.EnumSet;
import java.util.Optional;

/** A library's entry points, in the order of the native code's table. */
enum Entry {
  GET_VERSION("GetVersion"),
  GET_UNIQUE_ID("GetUniqueId"),
  COMM_INIT_RANK("CommInitRank"),
  COMM_DESTROY("CommDestroy"),
  ALL_REDUCE("AllReduce", Collective.ALL_REDUCE),
  REDUCE("Reduce", Collective.REDUCE),
  BROADCAST("Broadcast", Collective.BROADCAST),
  REDUCE_SCATTER("ReduceScatter", Collective.REDUCE_SCATTER),
  ALL_GATHER("AllGather", Collective.ALL_GATHER),
  SEND("Send", Collective.SEND),
  RECEIVE("Recv", Collective.RECEIVE),
  COMM_ABORT("CommAbort", Flag.ABORT),
  COMM_GET_ASYNC_ERROR("CommGetAsyncError", Flag.ASYNC_ERROR),
  GROUP_START("GroupStart", Flag.GROUP),
  GROUP_END("GroupEnd", Flag.GROUP),
  /**
   * From here on a library may lack them. An operation that is not there is not declared: older
   * versions have fewer.
   */
  ALL_TO_ALL("AlltoAll", Collective.ALL_TO_ALL),
  GATHER("Gather", Collective.GATHER),
  SCATTER("Scatter", Collective.SCATTER),
  /** These only make errors readable. */
  GET_ERROR_STRING("GetErrorString"),
  GET_LAST_ERROR("GetLastError");

  private final String suffix;

  /** What must be declared for this entry point to be called; both null where it always is. */
  private final Collective collective;

  private final Flag flag;

  Entry(String suffix) {
    this(suffix, null, null);
  }

  Entry(String suffix, Collective collective) {
    this(suffix, collective, null);
  }

  Entry(String suffix, Flag flag) {
    this(suffix, null, flag);
  }

  Entry(String suffix, Collective collective, Flag flag) {
    this.suffix = suffix;
    this.collective = collective;
    this.flag = flag;
  }

  /**
   * The symbol behind this entry point, or empty where {@code dialect} declares nothing that would
   * call it.
   */
  Optional<String> symbol(CclDialect dialect) {
    Capabilities declared = dialect.capabilities();
    boolean needed =
        (collective == null || declared.collectives().contains(collective))
            && (flag == null || declared.has(flag));
    String name =
        collective == null ? suffix : dialect.spellings().getOrDefault(collective, suffix);
    return needed ? Optional.of(dialect.prefix() + name) : Optional.empty();
  }

  /** The operations whose entry points are not {@code present}, which follows the constants. */
  static ImmutableSet<Collective> missing(boolean[] present) {
    EnumSet<Collective> missing = EnumSet.noneOf(Collective.class);
    int at = 0;
    for (Entry entry : values()) {
      if (!present[at++] && entry.collective != null) {
        missing.add(entry.collective);
      }
    }
    return Sets.immutableEnumSet(missing);
  }
}
