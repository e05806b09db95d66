package io.tombolo.topology.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import java.util.Map;

/**
 * The variables that hide devices from a process, by vendor, in the order in which its runtime
 * applies them. Sources: each vendor's runtime manual.
 */
final class VisibleDevices {
  private static final ImmutableListMultimap<String, String> VARIABLES =
      ImmutableListMultimap.<String, String>builder()
          .putAll("nvidia", "CUDA_VISIBLE_DEVICES")
          .putAll("amd", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
          .putAll("intel", "ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR")
          .putAll("gaudi", "HABANA_VISIBLE_DEVICES", "HABANA_VISIBLE_MODULES", "HLS_MODULE_ID")
          .putAll("ascend", "ASCEND_RT_VISIBLE_DEVICES")
          .putAll("cambricon", "MLU_VISIBLE_DEVICES")
          .putAll("metax", "MACA_VISIBLE_DEVICES")
          .putAll("musa", "MUSA_VISIBLE_DEVICES")
          .putAll("tpu", "TPU_VISIBLE_CHIPS")
          .build();

  private VisibleDevices() {}

  /** What is set, by vendor; a variable that is set to nothing hides everything and counts. */
  static ImmutableMap<String, ImmutableList<Sourced<String>>> of(Map<String, String> variables) {
    ImmutableMap.Builder<String, ImmutableList<Sourced<String>>> visible = ImmutableMap.builder();
    for (String vendor : VARIABLES.keySet()) {
      ImmutableList<Sourced<String>> set =
          VARIABLES.get(vendor).stream()
              .filter(variables::containsKey)
              .map(name -> new Sourced<>(variables.get(name).strip(), name))
              .collect(ImmutableList.toImmutableList());
      if (!set.isEmpty()) {
        visible.put(vendor, set);
      }
    }
    return visible.buildOrThrow();
  }
}
