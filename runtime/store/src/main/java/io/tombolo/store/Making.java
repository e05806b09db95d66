// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Source;
import io.tombolo.store.cast.Sources;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorSpec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is made of one put, a tensor at a time, when it is needed. For one thread. */
final class Making {
  private final TensorMaker maker;
  private final Map<String, Integer> checksums = new HashMap<>();
  private final KnownChecksums known = new KnownChecksums(checksums);
  private Map<String, HostTensor> latest = Map.of();

  Making(TensorMaker maker) {
    this.maker = maker;
  }

  /** Parts of tensors that will be made. */
  Sources sources(Map<String, PartSpec> parts) {
    Map<String, Source> bytes = new LinkedHashMap<>();
    parts.forEach(
        (name, part) ->
            bytes.put(name, new Source.Late(part.held(), () -> made(name, part.held()))));
    return new Sources(bytes, parts);
  }

  /** The checksums of those that have been made; more come. */
  KnownChecksums known() {
    return known;
  }

  private HostTensor made(String name, TensorSpec spec) {
    if (!latest.containsKey(name)) {
      latest = Map.of(); // its memory may be another's from here on
      TensorMaker.Made made = maker.make(name, spec);
      HostTensor tensor = made.tensor();
      if (!tensor.spec().equals(spec)) {
        throw new UsageException(
            "'%s' is to be %s, and %s was made of it".formatted(name, spec, tensor.spec()));
      }
      made.checksum().ifPresent(checksum -> checksums.put(name, checksum));
      latest = Map.of(name, tensor);
    }
    return latest.get(name);
  }
}
