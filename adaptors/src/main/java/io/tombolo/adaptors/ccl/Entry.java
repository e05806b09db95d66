// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.Primitive;
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
  /** {@link Primitive#ALL_REDUCE}. */
  ALL_REDUCE("AllReduce", Primitive.ALL_REDUCE),
  /** {@link Primitive#REDUCE}. */
  REDUCE("Reduce", Primitive.REDUCE),
  /** {@link Primitive#BROADCAST}. */
  BROADCAST("Broadcast", Primitive.BROADCAST),
  /** {@link Primitive#REDUCE_SCATTER}. */
  REDUCE_SCATTER("ReduceScatter", Primitive.REDUCE_SCATTER),
  /** {@link Primitive#ALL_GATHER}. */
  ALL_GATHER("AllGather", Primitive.ALL_GATHER),
  /** {@link Primitive#SEND}. */
  SEND("Send", Primitive.SEND),
  /** {@link Primitive#RECEIVE}. */
  RECEIVE("Recv", Primitive.RECEIVE),
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
   * {@link Primitive#ALL_TO_ALL}. From here on a library may lack them. An operation that is not
   * there is not declared: older versions have fewer.
   */
  ALL_TO_ALL("AlltoAll", Primitive.ALL_TO_ALL),
  /** {@link Primitive#GATHER}. */
  GATHER("Gather", Primitive.GATHER),
  /** {@link Primitive#SCATTER}. */
  SCATTER("Scatter", Primitive.SCATTER),
  /**
   * Has the thread's next call only offered to the other members; this library's own, and only
   * where a row names it.
   */
  OFFER,
  /** A result code in words; this and the next only make errors readable. */
  GET_ERROR_STRING("GetErrorString"),
  /** The last error in words. */
  GET_LAST_ERROR("GetLastError");

  /** The spelling of an entry point that a library does not have. */
  public static final String NONE = "";

  private static final ImmutableMap<Primitive, Entry> BY_PRIMITIVE =
      Arrays.stream(values())
          .filter(entry -> entry.primitive != null)
          .collect(Maps.toImmutableEnumMap(entry -> entry.primitive, entry -> entry));

  /** NCCL's name after the prefix; {@link #NONE} where NCCL has no such function. */
  private final String suffix;

  /** What must be declared for this entry point to be called; both null where it always is. */
  private final Primitive primitive;

  private final Flag flag;

  Entry() {
    this(NONE, null, null);
  }

  Entry(String suffix) {
    this(suffix, null, null);
  }

  Entry(String suffix, Primitive primitive) {
    this(suffix, primitive, null);
  }

  Entry(String suffix, Flag flag) {
    this(suffix, null, flag);
  }

  Entry(String suffix, Primitive primitive, Flag flag) {
    this.suffix = suffix;
    this.primitive = primitive;
    this.flag = flag;
  }

  /** The entry point of {@code primitive}. */
  static Entry of(Primitive primitive) {
    Entry entry = BY_PRIMITIVE.get(primitive);
    checkArgument(entry != null, "no library does %s", primitive.text());
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
        (primitive == null || declared.primitives().contains(primitive))
            && (flag == null || declared.has(flag));
    String usual = suffix.equals(NONE) ? NONE : dialect.prefix() + suffix;
    String symbol = dialect.spellings().getOrDefault(this, usual);
    return needed && !symbol.equals(NONE) ? Optional.of(symbol) : Optional.empty();
  }

  /** The operations whose entry points are not {@code present}, which follows the constants. */
  static ImmutableSet<Primitive> missing(boolean[] present) {
    EnumSet<Primitive> missing = EnumSet.noneOf(Primitive.class);
    int at = 0;
    for (Entry entry : values()) {
      if (!present[at++] && entry.primitive != null) {
        missing.add(entry.primitive);
      }
    }
    return Sets.immutableEnumSet(missing);
  }
}
