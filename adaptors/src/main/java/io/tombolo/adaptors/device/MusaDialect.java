// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Moore Threads' MUSA driver API; never run. Its functions and their versions are CUDA's with the
 * prefix {@code mu}, but for waits and writes, which have one version. No source shows the numbers
 * of the flags for host memory and of captures; they are taken to be CUDA's, as all the others are.
 */
public final class MusaDialect {
  private static final ImmutableMap<Role, String> NAMED_OTHERWISE =
      ImmutableMap.of(
          Role.WAIT_VALUE, "muStreamWaitValue64",
          Role.WRITE_VALUE, "muStreamWriteValue64");

  /**
   * Not taken over: no source shows that MUSA has the first two, nor what the others answer there.
   */
  private static final ImmutableSet<Role> NOT_SHOWN =
      Sets.immutableEnumSet(Role.FLUSH, Role.DMA_BUF, Role.DEVICE_ATTRIBUTE, Role.CONTEXT_STATE);

  private MusaDialect() {}

  /** The row. */
  public static final DeviceDialect MUSA =
      new DeviceDialect(
          "MUSA driver API",
          ImmutableList.of("libmusa.so.1", "libmusa.so"),
          symbols(),
          ImmutableSet.of(),
          SafeCalls.COMMON,
          constants(),
          Optional.empty(),
          Witness.TABLE,
          "install Moore Threads' driver (it brings libmusa.so.1), or run where there is one",
          "musa.h as a port of tinygrad to MUSA has generated bindings from it (autogen/musa.py);"
              + " waits and writes: Moore Threads' port of Transformer Engine, over musa.h; managed"
              + " memory, host functions, peers and captures: ports of XLA's stream executor to MUSA;"
              + " the device's address of host memory: a port of IREE; no public document says which"
              + " calls wait for streams; the kinds of addresses: musa.py, of which vLLM's and"
              + " SGLang's ports to MUSA call one by its number (11); that an address of nobody's is"
              + " an invalid value: Triton's port to MUSA");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .putAll(
            Maps.transformEntries(
                Maps.filterKeys(DeviceDialects.CUDA.symbols(), role -> !NOT_SHOWN.contains(role)),
                MusaDialect::symbol))
        .put(Role.HOST_POINTER, "muMemHostGetDevicePointer_v2")
        .buildOrThrow();
  }

  private static String symbol(Role role, String ofCuda) {
    return NAMED_OTHERWISE.getOrDefault(role, ofCuda.replaceFirst("^cu", "mu"));
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("MUSA_SUCCESS", 0))
        .put(Constant.NOT_READY, new Fact("MUSA_ERROR_NOT_READY", 600))
        .put(Constant.OUT_OF_MEMORY, new Fact("MUSA_ERROR_OUT_OF_MEMORY", 2))
        .put(Constant.STREAM_NON_BLOCKING, new Fact("MU_STREAM_NON_BLOCKING", 1))
        .put(Constant.EVENT_NO_TIMING, new Fact("MU_EVENT_DISABLE_TIMING", 2))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(1))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(2))
        .put(Constant.HOST_REGISTER_PORTABLE, Fact.unnamed(1))
        .put(Constant.HOST_REGISTER_MAPPED, Fact.unnamed(2))
        .put(Constant.WAIT_AT_LEAST, new Fact("MU_STREAM_WAIT_VALUE_GEQ", 0))
        .put(Constant.WRITE_PLAIN, new Fact("MU_STREAM_WRITE_VALUE_DEFAULT", 0))
        .put(Constant.PEER_ENABLED_BEFORE, new Fact("MUSA_ERROR_PEER_ACCESS_ALREADY_ENABLED", 704))
        .put(Constant.MANAGED_ATTACH, new Fact("MU_MEM_ATTACH_GLOBAL", 1))
        .put(Constant.IPC_OPEN_FLAGS, new Fact("MU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", 1))
        .put(Constant.NOT_CAPTURING, Fact.unnamed(0))
        .put(Constant.CAPTURE_RELAXED, Fact.unnamed(2))
        .put(Constant.NOT_KNOWN, new Fact("MUSA_ERROR_INVALID_VALUE", 1))
        .put(Constant.POINTER_DEVICE, new Fact("MU_POINTER_ATTRIBUTE_DEVICE_ORDINAL", 9))
        .put(Constant.POINTER_MANAGED, new Fact("MU_POINTER_ATTRIBUTE_IS_MANAGED", 8))
        .put(Constant.POINTER_KIND, new Fact("MU_POINTER_ATTRIBUTE_MEMORY_TYPE", 2))
        .put(Constant.KIND_OF_HOST, new Fact("MU_MEMORYTYPE_HOST", 1))
        .put(Constant.CONTEXT_UNTOLD, new Fact("MUSA_ERROR_NOT_SUPPORTED", 801))
        .buildOrThrow();
  }
}
