// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.cast;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.UsageException;
import java.util.Map;

/**
 * How wider floating-point tensors are narrowed where they are, before they move; all others stay
 * as they are. Values round to the nearest, halves to even. What is too large becomes infinity, or
 * NaN in e4m3, which has no infinity.
 *
 * @param type what they become: one of 16 or 8 bits
 * @param scaled whether each is divided by a scale first, so that its largest finite magnitude
 *     becomes the largest number of the type; the scale is stored beside it, as an f32 called
 *     {@code NAME.scale}
 * @param scales those that are known already, by the tensors' names: a must for tensors that this
 *     process has only a part of, and the same for all parts
 */
public record Cast(DataType type, boolean scaled, ImmutableMap<String, Float> scales) {
  /** What is added to a tensor's name to call its scale. */
  public static final String SCALE = ".scale";

  /** Checks the type. */
  public Cast {
    if (type.kind() != DataType.Kind.FLOATING || type.sizeBytes() > 2) {
      throw new UsageException(
          "a cast to %s; it narrows to f16, bf16, f8e4m3 or f8e5m2".formatted(type.text()));
    }
  }

  /** Without scales. */
  public static Cast to(DataType type) {
    return new Cast(type, false, ImmutableMap.of());
  }

  /** The same, with a scale for each tensor. */
  public Cast withScales() {
    return new Cast(type, true, scales);
  }

  /** The same, with these scales. */
  public Cast withScales(Map<String, Float> known) {
    return new Cast(type, scaled, ImmutableMap.copyOf(known));
  }

  /** Whether it makes a tensor of this type narrower. */
  public boolean appliesTo(DataType wide) {
    return wide.kind() == DataType.Kind.FLOATING && wide.sizeBytes() > type.sizeBytes();
  }
}
