// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.OrderKeeper;
import io.tombolo.adaptors.Witness;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A vendor's device runtime as a table row: what to open, what each call is called, how it differs,
 * and its numbers. The rows are in {@link DeviceDialects}.
 *
 * @param name what the API calls itself
 * @param libraries names or paths to try, in this order
 * @param symbols the vendor's function for each role; optional roles may be left out. After an
 *     {@code @} may follow the library where it is if the row's own does not have it
 * @param shapes how calls differ from CUDA's
 * @param safeWhileHeld the calls that return whatever streams wait for: they queue work, or ask how
 *     far it is. Rounds make no others, see {@link RoundCheck}
 * @param constants the vendor's numbers; those of calls that it does not have may be left out
 * @param compiler what compiles kernels for its devices, where that is known
 * @param witness what the numbers are held against by a test
 * @param fix what to do where no library is found
 * @param source where the row's facts come from
 */
public record DeviceDialect(
    String name,
    ImmutableList<String> libraries,
    ImmutableMap<Role, String> symbols,
    ImmutableSet<RuntimeCallShape> shapes,
    ImmutableSet<Role> safeWhileHeld,
    ImmutableMap<Constant, Fact> constants,
    Optional<CompilerDialect> compiler,
    Witness witness,
    String fix,
    String source) {

  private static final Set<Role> OPTIONAL =
      Sets.immutableEnumSet(
          Role.CONTEXT_RETAIN,
          Role.CONTEXT_RELEASE,
          Role.IPC_EXPORT,
          Role.IPC_OPEN,
          Role.IPC_CLOSE,
          Role.FLUSH,
          Role.HOST_POINTER,
          Role.GATE_MAKE,
          Role.GATE_WAIT,
          Role.GATE_OPEN,
          Role.GATE_SHUT,
          Role.STREAM_KINDS,
          Role.EVENT_POOL_CREATE,
          Role.EVENT_POOL_DESTROY,
          Role.MODULE_LOAD,
          Role.MODULE_UNLOAD,
          Role.MODULE_FUNCTION,
          Role.LAUNCH,
          Role.DMA_BUF,
          Role.PEER_CAN_ACCESS,
          Role.PEER_ENABLE,
          Role.MANAGED_ALLOCATE,
          Role.HOST_FUNCTION,
          Role.DEVICE_ATTRIBUTE,
          Role.STREAM_PRIORITIES,
          Role.STREAM_CREATE_RANKED,
          Role.STREAM_CAPTURING,
          Role.CAPTURE_MODE,
          Role.SIGNAL_ALLOCATE,
          Role.POINTER_ATTRIBUTE,
          Role.STREAM_CONTEXT,
          Role.GET_CURRENT,
          Role.CONTEXT_STATE,
          Role.CURRENT_CONTEXT);

  /** Checks that nothing the shim cannot do without is missing. */
  public DeviceDialect {
    Set<Role> missing =
        Sets.difference(EnumSet.allOf(Role.class), Sets.union(symbols.keySet(), OPTIONAL));
    missing =
        Sets.filter(
            missing, role -> shapes.stream().noneMatch(shape -> shape.lacking().contains(role)));
    checkArgument(missing.isEmpty(), "%s has no symbol for %s", name, missing);
    Set<Constant> unknown =
        Sets.filter(
            Sets.difference(EnumSet.allOf(Constant.class), constants.keySet()),
            number -> number.isNeededBy(symbols));
    checkArgument(unknown.isEmpty(), "%s has no number for %s", name, unknown);
  }

  /** The same row for a library elsewhere. */
  public DeviceDialect withLibraries(ImmutableList<String> paths) {
    return new DeviceDialect(
        name, paths, symbols, shapes, safeWhileHeld, constants, compiler, witness, fix, source);
  }

  /** The same row with another compiler, or none. */
  public DeviceDialect withCompiler(Optional<CompilerDialect> other) {
    return new DeviceDialect(
        name, libraries, symbols, shapes, safeWhileHeld, constants, other, witness, fix, source);
  }

  /** The same row under another name. */
  public DeviceDialect called(String other) {
    return new DeviceDialect(
        other,
        libraries,
        symbols,
        shapes,
        safeWhileHeld,
        constants,
        compiler,
        witness,
        fix,
        source);
  }

  /**
   * Whether streams cannot be held by the host: see {@link
   * io.tombolo.adaptors.DeviceAdaptor#isHostOrdered}.
   */
  public boolean isHostOrdered() {
    return shapes.contains(RuntimeCallShape.HOST_ORDERED);
  }

  /** Whether streams wait at gates, and nobody says that opening one waits for no stream. */
  boolean hasGatesToTry() {
    return symbols.containsKey(Role.GATE_OPEN) && !safeWhileHeld.contains(Role.GATE_OPEN);
  }

  /** Whether an event behind work that has failed says so; else it is done, and no error. */
  boolean eventsTellFailures() {
    return !shapes.contains(RuntimeCallShape.CNRT);
  }

  /** How streams wait, if devices are able to do what the row has. */
  OrderKeeper orderKeeper() {
    if (isHostOrdered()) {
      return OrderKeeper.BY_HOST;
    }
    return symbols.containsKey(Role.STREAM_CREATE_RANKED)
        ? OrderKeeper.BY_DEVICE
        : OrderKeeper.UNLESS_QUEUES_ARE_SHARED;
  }

  /** What rounds may not call, as the shim wants it: a bit for each role, in order. */
  long refusedBits() {
    Role[] roles = Role.values();
    return IntStream.range(0, roles.length)
        .filter(place -> !safeWhileHeld.contains(roles[place]))
        .mapToLong(place -> 1L << place)
        .sum();
  }

  /** The shapes as the shim wants them: one bit each. */
  int shapeBits() {
    return shapes.stream().mapToInt(RuntimeCallShape::bit).sum();
  }
}
