// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * The Slurm step that this process belongs to. What srun says of a task it may also say in the
 * words of others, and not completely: the pmi2 plugin sets only {@code PMI_RANK} and {@code
 * PMI_SIZE}, Cray's plugin sets {@code PALS_RANKID} without a size, and job scripts copy {@code
 * SLURM_PROCID} to {@code RANK}. Where rank and size agree, the step completes them.
 *
 * <p>A shell in a step ({@code srun --pty bash}, {@code salloc} with an interactive step) sees the
 * same variables as a rank and is none. Sources: Slurm's src/common/env.c,
 * src/plugins/mpi/cray_shasta, src/plugins/mpi/pmi2, slurm.h (SLURM_INTERACTIVE_STEP).
 */
record SlurmStep(Variables variables) {
  private static final String ID = "SLURM_STEP_ID";

  /** SLURM_INTERACTIVE_STEP, 0xfffffffa: the shell that salloc starts on the first node. */
  private static final String INTERACTIVE = "4294967290";

  /** Those whose variables srun's plugins, or a script in the step, set from the step's own. */
  private static final ImmutableSet<Launcher> DIALECTS =
      ImmutableSet.of(Launcher.TORCH, Launcher.PALS, Launcher.HYDRA);

  static Optional<SlurmStep> of(Variables variables) {
    return variables.has(ID) ? Optional.of(new SlurmStep(variables)) : Optional.empty();
  }

  /**
   * Whether this is somebody's shell. A terminal alone does not tell: tasks of an srun that was
   * called in such a shell inherit its variable, but they are several.
   */
  boolean isShell() {
    boolean alone = said(Launcher.SLURM.worldSize).orElse("1").equals("1");
    return said(ImmutableList.of(ID)).equals(Optional.of(INTERACTIVE))
        || (alone && variables.has("SLURM_PTY_PORT"));
  }

  /** Whether {@code launcher} says of this process what the step says of it. */
  boolean speaksAs(Launcher launcher) {
    Optional<String> size = said(launcher.worldSize);
    return DIALECTS.contains(launcher)
        && said(launcher.rank).equals(said(Launcher.SLURM.rank))
        && (size.isEmpty() || size.equals(said(Launcher.SLURM.worldSize)));
  }

  /** Whether what {@code launcher} seems to say was set by srun; an mpiexec also counts hosts. */
  boolean spokeFor(Launcher launcher) {
    return launcher == Launcher.SLURM
        || (launcher != Launcher.TORCH && speaksAs(launcher) && !variables.has("MPI_LOCALNRANKS"));
  }

  private Optional<String> said(ImmutableList<String> names) {
    return variables.first(names).map(Sourced::value);
  }
}
