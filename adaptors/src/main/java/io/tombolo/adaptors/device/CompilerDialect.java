// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;

/**
 * A vendor's run-time compiler as a table row. NVRTC's and hipRTC's calls differ in their names
 * only (nvrtc.h of CUDA 12.9, hiprtc.h of ROCm 5.2).
 *
 * @param name what it calls itself
 * @param libraries names or paths to try, in this order
 * @param loaded names of what it may load when it is first used, to have the work done
 * @param prefix how its symbols begin
 * @param result what its symbols call the compiled kernels
 * @param options so that it computes as the host does: every operation rounds by itself
 * @param fix what to do where no library is found
 */
public record CompilerDialect(
    String name,
    ImmutableList<String> libraries,
    ImmutableList<String> loaded,
    String prefix,
    String result,
    ImmutableList<String> options,
    String fix) {

  /**
   * NVIDIA's: part of the toolkit, not of the driver. It makes PTX, which the driver translates.
   */
  public static final CompilerDialect NVRTC =
      new CompilerDialect(
          "NVRTC",
          ImmutableList.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"),
          ImmutableList.of(),
          "nvrtc",
          "PTX",
          ImmutableList.of("--fmad=false", "--ftz=false"),
          "install NVIDIA's NVRTC (pip package nvidia-cuda-nvrtc or Debian package libnvrtc), and"
              + " put its lib folder into LD_LIBRARY_PATH");

  /** AMD's: a library of its own from ROCm 6 on, before that also in the runtime's. */
  public static final CompilerDialect HIPRTC =
      new CompilerDialect(
          "hipRTC",
          ImmutableList.of(
              "libhiprtc.so",
              "libhiprtc.so.7",
              "libhiprtc.so.6",
              "libhiprtc.so.5",
              "libamdhip64.so.5"),
          ImmutableList.of("libamd_comgr.so.3", "libamd_comgr.so.2"),
          "hiprtc",
          "Code",
          ImmutableList.of("-ffp-contract=off"),
          "install ROCm's hipRTC (package hip-runtime-amd)");

  /** The same row for a library elsewhere. */
  public CompilerDialect withLibraries(ImmutableList<String> paths) {
    return new CompilerDialect(name, paths, loaded, prefix, result, options, fix);
  }

  /** The same row under another name. */
  public CompilerDialect called(String other) {
    return new CompilerDialect(other, libraries, loaded, prefix, result, options, fix);
  }

  /** Its symbols, in the order of {@code compiler.c}. */
  ImmutableList<String> symbols() {
    return ImmutableList.of(
        prefix + "Version",
        prefix + "CreateProgram",
        prefix + "CompileProgram",
        prefix + "Get" + result + "Size",
        prefix + "Get" + result,
        prefix + "GetProgramLogSize",
        prefix + "GetProgramLog",
        prefix + "DestroyProgram",
        prefix + "GetErrorString");
  }
}
