// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorSpec;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The program around makes what it puts, by the callback of a {@code tombolo_maker}. */
final class ProgramMaker implements TensorMaker {
  /**
   * Of a {@code tombolo_made}: data, checksum, whether there is one. {@code makers.c} asserts it.
   */
  private static final int MADE_BYTES = 16;

  private static final int CHECKSUM = 8;
  private static final int SUMMED = 12;

  private final long maker;
  private final ImmutableMap<String, Integer> numbers;

  /**
   * @param maker address of the {@code tombolo_maker}
   * @param names of what it makes, in the order in which it counts them
   */
  ProgramMaker(long maker, String[] names) {
    this.maker = maker;
    this.numbers =
        IntStream.range(0, names.length)
            .boxed()
            .collect(ImmutableMap.toImmutableMap(number -> names[number], number -> number));
  }

  @Override
  public Made make(String name, TensorSpec spec) {
    int number = Objects.requireNonNull(numbers.get(name));
    try (NativeMemory place = NativeMemory.allocate(MADE_BYTES)) {
      int result = make0(maker, number, place.address());
      if (result != 0) {
        throw new UsageException(
            "the program could not make '%s' (%s), so nothing was put (callback's result %s)"
                .formatted(name, spec, result));
      }
      ByteBuffer made = place.view(0, MADE_BYTES);
      NativeMemory data = NativeMemory.borrowed(made.getLong(0), spec.sizeBytes());
      return new Made(
          new HostTensor(spec, data, 0),
          made.getInt(SUMMED) == 0 ? OptionalInt.empty() : OptionalInt.of(made.getInt(CHECKSUM)));
    }
  }

  private static native int make0(long maker, long number, long made);
}
