// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.cast;

import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is put, with scales beside what a cast scales.
 *
 * @param bytes where it comes from, by name
 * @param parts of which tensors it is which part, by the same names
 */
public record Sources(Map<String, Source> bytes, Map<String, PartSpec> parts) {
  /** Whole tensors as they are. */
  public static Sources of(Map<String, HostTensor> tensors) {
    Sources all = new Sources(new LinkedHashMap<>(), new LinkedHashMap<>());
    tensors.forEach((name, tensor) -> all.add(name, TensorPart.whole(tensor), tensor.spec()));
    return all;
  }

  /** Whole tensors, narrowed. */
  public static Sources of(Map<String, HostTensor> tensors, Cast cast) {
    Sources all = new Sources(new LinkedHashMap<>(), new LinkedHashMap<>());
    tensors.forEach((name, tensor) -> all.add(name, TensorPart.whole(tensor), cast, tensors));
    return all;
  }

  /** Parts of tensors as they are. */
  public static Sources ofParts(Map<String, TensorPart> parts) {
    Sources all = new Sources(new LinkedHashMap<>(), new LinkedHashMap<>());
    parts.forEach((name, part) -> all.add(name, part, part.whole()));
    return all;
  }

  /**
   * Parts of tensors, narrowed.
   *
   * @throws UsageException if a part needs a scale that is not given, or a scale has the name of
   *     another tensor
   */
  public static Sources ofParts(Map<String, TensorPart> parts, Cast cast) {
    Sources all = new Sources(new LinkedHashMap<>(), new LinkedHashMap<>());
    parts.forEach((name, part) -> all.add(name, part, cast, parts));
    return all;
  }

  private void add(String name, TensorPart part, TensorSpec whole) {
    bytes.put(name, new Source.Plain(part.held()));
    parts.put(name, new PartSpec(whole, part.box()));
  }

  private void add(String name, TensorPart part, Cast cast, Map<String, ?> given) {
    HostTensor held = part.held();
    if (!cast.appliesTo(held.spec().type())) {
      add(name, part, part.whole());
      return;
    }
    Optional<Float> scale = scale(name, part, cast);
    TensorSpec whole = new TensorSpec(cast.type(), part.whole().shape());
    bytes.put(name, new Source.Narrowed(held, cast.type(), scale.orElse(1f)));
    parts.put(name, new PartSpec(whole, part.box()));
    if (scale.isPresent()) {
      String scaleName = name + Cast.SCALE;
      if (given.containsKey(scaleName)) {
        throw new UsageException(
            "the scale of '%s' would be '%s', and there is a tensor of that name"
                .formatted(name, scaleName));
      }
      Source.Scalar scalar = new Source.Scalar(scale.get());
      bytes.put(scaleName, scalar);
      parts.put(scaleName, new PartSpec(scalar.spec(), scalar.spec().whole()));
    }
  }

  private static Optional<Float> scale(String name, TensorPart part, Cast cast) {
    if (cast.scales().containsKey(name)) {
      return Optional.of(cast.scales().get(name));
    } else if (!cast.scaled()) {
      return Optional.empty();
    } else if (!part.box().equals(part.whole().whole())) {
      throw new UsageException(
          "'%s' is a part of a tensor, whose scale must be given: the same for all its parts"
              .formatted(name));
    }
    TensorSpec spec = part.held().spec();
    long address = part.held().address(0, spec.sizeBytes());
    long count = spec.sizeBytes() / spec.type().sizeBytes();
    return Optional.of(Narrowing.scaleOf(spec.type(), address, cast.type(), count));
  }
}
