package io.tombolo.adaptors.ccl;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Collective;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;

/** A library's entry points, in the order of the native code's table. */
public enum Entry {
  /** The version, as one number or in parts. */
  GET_VERSION("GetVersion"),
  /** Makes a unique id. */
  GET_UNIQUE_ID("GetUniqueId"),
  /** Joins a communicator. */
  COMM_INIT_RANK("CommInitRank"),
  /** Ends a communicator. */
  COMM_DESTROY("CommDestroy"),
  /** {@link Collective#ALL_REDUCE}. */
  ALL_REDUCE("AllReduce", Collective.ALL_REDUCE),
  /** {@link Collective#REDUCE}. */
  REDUCE("Reduce", Collective.REDUCE),
  /** {@link Collective#BROADCAST}. */
  BROADCAST("Broadcast", Collective.BROADCAST),
  /** {@link Collective#REDUCE_SCATTER}. */
  REDUCE_SCATTER("ReduceScatter", Collective.REDUCE_SCATTER),
  /** {@link Collective#ALL_GATHER}. */
  ALL_GATHER("AllGather", Collective.ALL_GATHER),
  /** {@link Collective#SEND}. */
  SEND("Send", Collective.SEND),
  /** {@link Collective#RECEIVE}. */
  RECEIVE("Recv", Collective.RECEIVE),
  /** Gives up a communicator. */
  COMM_ABORT("CommAbort", Flag.ABORT),
  /** What went wrong after a call. */
  COMM_GET_ASYNC_ERROR("CommGetAsyncError", Flag.ASYNC_ERROR),
  /** Opens a group. */
  GROUP_START("GroupStart", Flag.GROUP),
  /** Launches a group. */
  GROUP_END("GroupEnd", Flag.GROUP),
  /** Memory that members can register. */
  MEM_ALLOC("MemAlloc", Flag.REGISTERED_BUFFERS),
  /** Gives that memory back. */
  MEM_FREE("MemFree", Flag.REGISTERED_BUFFERS),
  /** Registers such memory, all members at once. */
  COMM_REGISTER("CommRegister", Flag.REGISTERED_BUFFERS),
  /** The calling thread's device, from the runtime below the library; only where a row names it. */
  CURRENT_DEVICE,
  /**
   * An export that only this vendor's library has, to tell it from another's of the same name. It
   * is never called; only where a row names it.
   */
  MARK,
  /**
   * {@link Collective#ALL_TO_ALL}. From here on a library may lack them. An operation that is not
   * there is not declared: older versions have fewer.
   */
  ALL_TO_ALL("AlltoAll", Collective.ALL_TO_ALL),
  /** {@link Collective#GATHER}. */
  GATHER("Gather", Collective.GATHER),
  /** {@link Collective#SCATTER}. */
  SCATTER("Scatter", Collective.SCATTER),
  /** A result code in words; this and the next only make errors readable. */
  GET_ERROR_STRING("GetErrorString"),
  /** The last error in words. */
  GET_LAST_ERROR("GetLastError");

  /** The spelling of an entry point that a library does not have. */
  public static final String NONE = "";

  private static final ImmutableMap<Collective, Entry> BY_COLLECTIVE =
      Arrays.stream(values())
          .filter(entry -> entry.collective != null)
          .collect(Maps.toImmutableEnumMap(entry -> entry.collective, entry -> entry));

  /** NCCL's name after the prefix; {@link #NONE} where NCCL has no such function. */
  private final String suffix;

  /** What must be declared for this entry point to be called; both null where it always is. */
  private final Collective collective;

  private final Flag flag;

  Entry() {
    this(NONE, null, null);
  }

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

  /** The entry point of {@code collective}. */
  static Entry of(Collective collective) {
    Entry entry = BY_COLLECTIVE.get(collective);
    checkArgument(entry != null, "no library does %s", collective.text());
    return entry;
  }

  /** The place in the native code's table. */
  @SuppressWarnings("EnumOrdinal") // the two tables have one order
  int place() {
    return ordinal();
  }

  /**
   * The symbol behind this entry point, or empty where {@code dialect} has none, or declares
   * nothing that would call it.
   */
  public Optional<String> symbol(CclDialect dialect) {
    Capabilities declared = dialect.capabilities();
    boolean needed =
        (collective == null || declared.collectives().contains(collective))
            && (flag == null || declared.has(flag));
    String usual = suffix.equals(NONE) ? NONE : dialect.prefix() + suffix;
    String symbol = dialect.spellings().getOrDefault(this, usual);
    return needed && !symbol.equals(NONE) ? Optional.of(symbol) : Optional.empty();
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
