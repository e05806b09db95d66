// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.cast;

import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import java.util.Optional;
import java.util.function.Supplier;

/** Where the bytes of a tensor that is put come from, and what becomes of them on the way. */
public sealed interface Source {
  /** What will have been put. */
  TensorSpec spec();

  /** Fails if its memory cannot be read, which is known before anything moves. */
  void check();

  /** Makes what is made late, which may fail; nothing of the tensor has moved then. */
  default void prepare() {}

  /** Its bytes, if they lie in memory as they will have been put. */
  default Optional<HostTensor> lying() {
    return Optional.empty();
  }

  /** Writes elements from {@code first} on to {@code target}. */
  void fill(long target, long first, long count);

  /** Writes all to {@code target}; their checksum. */
  default int copyTo(long target) {
    long sizeBytes = spec().sizeBytes();
    fill(target, 0, sizeBytes / spec().type().sizeBytes());
    return Checksum.of(target, sizeBytes);
  }

  /** A tensor as it is. */
  record Plain(HostTensor tensor) implements Source {
    @Override
    public TensorSpec spec() {
      return tensor.spec();
    }

    @Override
    public void check() {
      tensor.address(0, tensor.spec().sizeBytes());
    }

    @Override
    public Optional<HostTensor> lying() {
      return Optional.of(tensor);
    }

    @Override
    public void fill(long target, long first, long count) {
      long size = spec().type().sizeBytes();
      NativeMemory.copy(target, tensor.address(first * size, count * size), count * size);
    }

    @Override
    public int copyTo(long target) {
      long sizeBytes = spec().sizeBytes();
      return Checksum.ofCopy(target, tensor.address(0, sizeBytes), sizeBytes);
    }
  }

  /**
   * A tensor that is made once there is room for it.
   *
   * @param made makes it, or gives what it has made before
   */
  record Late(TensorSpec spec, Supplier<HostTensor> made) implements Source {
    /** Nothing is known before it is made. */
    @Override
    public void check() {}

    @Override
    public void prepare() {
      tensor().check();
    }

    @Override
    public Optional<HostTensor> lying() {
      return tensor().lying();
    }

    @Override
    public void fill(long target, long first, long count) {
      tensor().fill(target, first, count);
    }

    @Override
    public int copyTo(long target) {
      return tensor().copyTo(target);
    }

    private Plain tensor() {
      return new Plain(made.get());
    }
  }

  /** A tensor that becomes narrower. */
  record Narrowed(HostTensor wide, DataType type, float scale) implements Source {
    @Override
    public TensorSpec spec() {
      return new TensorSpec(type, wide.spec().shape());
    }

    @Override
    public void check() {
      wide.address(0, wide.spec().sizeBytes());
    }

    @Override
    public void fill(long target, long first, long count) {
      DataType from = wide.spec().type();
      long source = wide.address(first * from.sizeBytes(), count * from.sizeBytes());
      Narrowing.narrow(from, source, type, target, count, scale);
    }
  }

  /** One f32. */
  record Scalar(float value) implements Source {
    private static final TensorSpec SPEC = TensorSpec.of(DataType.F32);

    @Override
    public TensorSpec spec() {
      return SPEC;
    }

    /** It is no memory. */
    @Override
    public void check() {}

    @Override
    public void fill(long target, long first, long count) {
      NativeMemory.viewOf(target, Float.BYTES).putFloat(value);
    }
  }
}
