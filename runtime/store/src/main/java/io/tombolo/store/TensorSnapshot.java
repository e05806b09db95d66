// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.cast.Cast;
import io.tombolo.store.cast.Narrowing;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.tensors.layout.Box;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Tensors as they were at one moment. They stay so, whatever is put, shown or deleted meanwhile,
 * until this is closed; their memory cannot be used for others before.
 *
 * <p>It is void at once when who has the tensors withdraws them or dies. Every call fails then, and
 * so does one that is on, at its end: with an {@link io.tombolo.base.errors.AbortedException} or a
 * {@link io.tombolo.base.errors.PeerFailedException}. Of several holders one that dies is not
 * missed where others have what it had. Thread-safe.
 */
public interface TensorSnapshot extends AutoCloseable {
  /** The number of the version, from 1 on; 0 if these tensors have names of their own. */
  long version();

  /** What the tensors are called, in a fixed order. */
  Set<String> names();

  /**
   * What the tensor called {@code name} is; {@link io.tombolo.base.errors.UsageException} if there
   * is none.
   */
  TensorSpec spec(String name);

  /**
   * Where a tensor lies in this process, row-major: to be read, not written, and only until this
   * snapshot or its store is closed. Empty if it is not all in one place that is shared with this
   * process, and {@link #getInto} is the way. What was read there is good if {@link #check} says so
   * afterwards.
   */
  OptionalLong address(String name);

  /** Fails if this is void: then what was read until now may be anything. */
  void check();

  /**
   * Copies parts of tensors to where they are wanted, in one call: over a connection this is faster
   * than one after the other, as the other side is never without something to send. If it fails,
   * what is there may be anything. Calls that other threads make of the same store have their turn
   * in between: after 256 MiB and one part, or 4096 parts. This waits for them, however long they
   * take, or until it is interrupted.
   *
   * @throws io.tombolo.base.errors.CorruptException if all of a tensor came over a connection, and
   *     is not what was put
   */
  void getAllInto(List<WantedPart> wanted);

  /**
   * Copies a tensor's part into {@code target}, which has its type, and the part's shape; as {@link
   * #getAllInto} does.
   */
  default void getInto(String name, Box part, HostTensor target) {
    getAllInto(List.of(new WantedPart(name, part, target)));
  }

  /**
   * Compares a tensor's bytes, as they are where they lie, with the checksum from where they came.
   *
   * @throws io.tombolo.base.errors.CorruptException if they are not what was put
   */
  void verify(String name);

  /** Copies a tensor into {@code target}, which has its type and shape. */
  default void getInto(String name, HostTensor target) {
    getInto(name, spec(name).whole(), target);
  }

  /** A copy of a tensor, in memory that the caller closes. */
  default HostTensor get(String name) {
    return get(name, spec(name).whole());
  }

  /** A copy of a tensor's part, likewise. */
  default HostTensor get(String name, Box part) {
    HostTensor copy = HostTensor.allocate(spec(name).part(part));
    try {
      getInto(name, part, copy);
      return copy;
    } catch (RuntimeException e) {
      copy.memory().close();
      throw e;
    }
  }

  /**
   * A part of a tensor that a {@link Cast} has narrowed: f32 again, and multiplied by its scale if
   * it has one. In memory that the caller closes.
   */
  default HostTensor widened(String name, Box part) {
    TensorSpec narrow = spec(name).part(part);
    HostTensor wide = HostTensor.allocate(new TensorSpec(DataType.F32, narrow.shape()));
    try (NativeMemory held = get(name, part).memory()) {
      long to = wide.address(0, wide.spec().sizeBytes());
      Narrowing.widen(narrow.type(), held.address(), to, part.elements(), scale(name));
      return wide;
    } catch (RuntimeException e) {
      wide.memory().close();
      throw e;
    }
  }

  /** What a tensor was divided by; 1 if by nothing. */
  private float scale(String name) {
    if (!names().contains(name + Cast.SCALE)) {
      return 1;
    }
    try (NativeMemory scale = get(name + Cast.SCALE).memory()) {
      return scale.view(0, Float.BYTES).getFloat(0);
    }
  }

  /**
   * Gives the tensors up, also on a thread that has been interrupted, which it stays; harmless the
   * second time, and once who has them has gone.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException if other threads use the connection
   *     for as long as calls wait, of several holders each in turn: tensors are still kept for
   *     this, and it can be closed again. It may have been given back in part: it is of no other
   *     use
   */
  @Override
  void close();
}
