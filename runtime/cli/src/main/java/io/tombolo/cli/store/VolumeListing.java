// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import io.tombolo.store.TensorStore;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import java.util.List;
import java.util.Locale;

/**
 * What is in a volume or shown by a holder, as the terminal and JSON have it.
 *
 * @param stateDicts in the order of their names
 * @param tensors with names of their own, likewise
 * @param unfinished versions that several processes write together, in the order they were begun
 * @param held what a holder shows, in the order of the state dicts' names
 */
record VolumeListing(
    List<StateDictRow> stateDicts,
    List<TensorRow> tensors,
    List<JointRow> unfinished,
    List<HeldRow> held) {
  /** A state dict; tensors and bytes are those of its newest version. */
  record StateDictRow(String name, long oldest, long newest, long tensors, long sizeBytes) {
    static StateDictRow of(StateDictListing dict) {
      return new StateDictRow(
          dict.name(), dict.oldest(), dict.newest(), dict.tensors(), dict.sizeBytes());
    }
  }

  /** A tensor; {@code checksum} is the CRC-32C of its bytes, 8 hexadecimal digits. */
  record TensorRow(String name, String type, List<Long> shape, long sizeBytes, String checksum) {
    static TensorRow of(TensorListing tensor) {
      return new TensorRow(
          tensor.name(),
          tensor.spec().type().text(),
          tensor.spec().shape(),
          tensor.spec().sizeBytes(),
          String.format(Locale.ROOT, "%08x", tensor.checksum()));
    }
  }

  /** A version in the making; {@code missing} are writers who have not come, or not finished. */
  record JointRow(
      String stateDict,
      String round,
      int writers,
      boolean writing,
      List<Integer> missing,
      long ageMs) {
    static JointRow of(JointListing joint) {
      return new JointRow(
          joint.stateDict(),
          joint.round(),
          joint.writers(),
          joint.writing(),
          joint.missing(),
          joint.ageMs());
    }
  }

  /** What a holder shows of a state dict; tensors and bytes are those of its parts. */
  record HeldRow(
      String stateDict,
      long version,
      String run,
      int holders,
      int holder,
      int replicas,
      long tensors,
      long sizeBytes) {
    static HeldRow of(HeldListing held) {
      return new HeldRow(
          held.stateDict(),
          held.version(),
          held.rank().run(),
          held.rank().holders(),
          held.rank().holder(),
          held.rank().replicas(),
          held.tensors(),
          held.sizeBytes());
    }
  }

  static VolumeListing of(TensorStore store, String prefix) {
    return new VolumeListing(
        store.stateDicts(prefix).stream().map(StateDictRow::of).toList(),
        store.list(prefix).stream().map(TensorRow::of).toList(),
        store.unfinished().stream()
            .filter(joint -> joint.stateDict().startsWith(prefix))
            .map(JointRow::of)
            .toList(),
        store.held().stream()
            .filter(held -> held.stateDict().startsWith(prefix))
            .map(HeldRow::of)
            .toList());
  }
}
