// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Optional;

/**
 * The variables that hide devices from a process, by vendor, in the order in which its runtime
 * applies them. Sources: each vendor's runtime manual.
 */
final class VisibleDevices {
  private static final ImmutableListMultimap<String, String> VARIABLES =
      ImmutableListMultimap.<String, String>builder()
          .putAll("nvidia", "CUDA_VISIBLE_DEVICES")
          .putAll("amd", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
          .putAll("intel", "ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR")
          .putAll("gaudi", "HABANA_VISIBLE_DEVICES", "HABANA_VISIBLE_MODULES", "HLS_MODULE_ID")
          .putAll("ascend", "ASCEND_RT_VISIBLE_DEVICES")
          .putAll("cambricon", "MLU_VISIBLE_DEVICES")
          .putAll("enflame", "TOPS_VISIBLE_DEVICES")
          .putAll("kunlunxin", "XPU_VISIBLE_DEVICES")
          .putAll("metax", "MACA_VISIBLE_DEVICES")
          .putAll("musa", "MUSA_VISIBLE_DEVICES")
          .putAll("neuron", "NEURON_RT_VISIBLE_CORES")
          .putAll("tpu", "TPU_VISIBLE_CHIPS")
          .build();

  /** Those whose value is a list with one entry per device, which the runtime counts from 0. */
  private static final ImmutableSet<String> LISTS =
      ImmutableSet.of(
          "CUDA_VISIBLE_DEVICES",
          "ROCR_VISIBLE_DEVICES",
          "HIP_VISIBLE_DEVICES",
          "ZE_AFFINITY_MASK",
          "ASCEND_RT_VISIBLE_DEVICES",
          "MLU_VISIBLE_DEVICES",
          "TOPS_VISIBLE_DEVICES",
          "XPU_VISIBLE_DEVICES",
          "MACA_VISIBLE_DEVICES",
          "MUSA_VISIBLE_DEVICES");

  /** Of lists of devices, the part between two commas. */
  static final Splitter COMMA = Splitter.on(',').trimResults().omitEmptyStrings();

  private VisibleDevices() {}

  /** What is set, by vendor; a variable that is set to nothing hides everything and counts. */
  static ImmutableMap<String, ImmutableList<Sourced<String>>> of(Variables variables) {
    ImmutableMap.Builder<String, ImmutableList<Sourced<String>>> visible = ImmutableMap.builder();
    for (String vendor : VARIABLES.keySet()) {
      ImmutableList<Sourced<String>> set =
          VARIABLES.get(vendor).stream()
              .filter(variables.all()::containsKey)
              .map(name -> new Sourced<>(variables.all().get(name).strip(), name))
              .collect(ImmutableList.toImmutableList());
      if (!set.isEmpty()) {
        visible.put(vendor, set);
      }
    }
    checkModule(variables);
    return visible.buildOrThrow();
  }

  /**
   * Which of the devices that a process sees it is to use, if it is number {@code localRank} on its
   * host: the only one, or the one of that number.
   */
  static Optional<Sourced<Integer>> ordinal(
      List<Sourced<String>> visible, Optional<Sourced<Integer>> localRank) {
    Optional<Sourced<String>> list =
        visible.stream().filter(VisibleDevices::isList).reduce((first, last) -> last);
    if (list.isEmpty()) {
      return localRank;
    }
    int entries = Iterables.size(COMMA.split(list.get().value()));
    int devices = VisibleList.count(visible.stream().filter(VisibleDevices::isList).toList());
    if (entries == 1 && devices == 1) {
      return Optional.of(new Sourced<>(0, "the only one of " + list.get().assignment()));
    }
    localRank.ifPresent(rank -> checkSeen(list.get(), devices, rank));
    return localRank;
  }

  private static boolean isList(Sourced<String> variable) {
    return LISTS.contains(variable.origin());
  }

  private static void checkSeen(Sourced<String> list, int devices, Sourced<Integer> localRank) {
    if (localRank.value() >= devices) {
      throw new UsageException(
          localRank.assignment()
              + ", but "
              + list.assignment()
              + " shows this process only "
              + (devices == 1 ? "1 device" : devices + " devices")
              + "; start fewer ranks here, show each process one device or all of them the same, or"
              + " set TOMBOLO_DEVICE");
    }
  }

  /** Gaudi's software takes HLS_MODULE_ID without a look at the list. */
  private static void checkModule(Variables variables) {
    Optional<Sourced<String>> module = variables.first("HLS_MODULE_ID");
    Optional<Sourced<String>> modules = variables.first("HABANA_VISIBLE_MODULES");
    if (module.isPresent()
        && modules.isPresent()
        && !Iterables.contains(COMMA.split(modules.get().value()), module.get().value())) {
      throw new UsageException(
          module.get().assignment() + " is not among " + modules.get().assignment());
    }
  }
}
