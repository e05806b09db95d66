// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.collect.ImmutableList;

/**
 * A launcher as a table row: which variables hold what; of several names the first that is set
 * counts, and none means that it does not say.
 *
 * <p>Order is nesting: what comes first is nearer to the process. Our own launcher and torchrun run
 * inside everything; MPI launchers run inside Slurm allocations. Sources:
 * torch.distributed.elastic's local_elastic_agent.py; Open MPI's and MPICH's manuals; Cray's
 * intro_pmi; the Slurm manual of srun; HPE's PALS.
 */
public enum Launcher {
  /** This project's own, which says so. */
  TOMBOLO(
      "tombolo",
      0,
      Launcher.TOMBOLO_EVIDENCE,
      ImmutableList.of("RANK"),
      ImmutableList.of("WORLD_SIZE"),
      ImmutableList.of("LOCAL_RANK"),
      ImmutableList.of("LOCAL_WORLD_SIZE")),
  /** PyTorch's elastic agent. */
  TORCHRUN(
      "torchrun",
      1,
      "TORCHELASTIC_RUN_ID",
      ImmutableList.of("RANK"),
      ImmutableList.of("WORLD_SIZE"),
      ImmutableList.of("LOCAL_RANK"),
      ImmutableList.of("LOCAL_WORLD_SIZE")),
  /** The same variables, set by hand or by a script. */
  TORCH(
      "torch variables",
      2,
      "RANK",
      ImmutableList.of("RANK"),
      ImmutableList.of("WORLD_SIZE"),
      ImmutableList.of("LOCAL_RANK"),
      ImmutableList.of("LOCAL_WORLD_SIZE")),
  /** Open MPI. */
  OPEN_MPI(
      "Open MPI",
      2,
      "OMPI_COMM_WORLD_RANK",
      ImmutableList.of("OMPI_COMM_WORLD_RANK"),
      ImmutableList.of("OMPI_COMM_WORLD_SIZE"),
      ImmutableList.of("OMPI_COMM_WORLD_LOCAL_RANK"),
      ImmutableList.of("OMPI_COMM_WORLD_LOCAL_SIZE")),
  /** HPE's launcher on Cray systems, which also speaks PMI. */
  PALS(
      "PALS",
      2,
      "PALS_RANKID",
      ImmutableList.of("PALS_RANKID"),
      ImmutableList.of("PALS_SIZE"),
      ImmutableList.of("PALS_LOCAL_RANKID"),
      ImmutableList.of("PALS_LOCAL_SIZE")),
  /** MPICH and Intel MPI; what Cray's PMI says of hosts is understood too. */
  HYDRA(
      "MPICH (Hydra)",
      2,
      "PMI_RANK",
      ImmutableList.of("PMI_RANK"),
      ImmutableList.of("PMI_SIZE"),
      ImmutableList.of("MPI_LOCALRANKID", "PMI_LOCAL_RANK"),
      ImmutableList.of("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE")),
  /** MVAPICH. */
  MVAPICH(
      "MVAPICH",
      2,
      "MV2_COMM_WORLD_RANK",
      ImmutableList.of("MV2_COMM_WORLD_RANK"),
      ImmutableList.of("MV2_COMM_WORLD_SIZE"),
      ImmutableList.of("MV2_COMM_WORLD_LOCAL_RANK"),
      ImmutableList.of("MV2_COMM_WORLD_LOCAL_SIZE")),
  /**
   * Slurm's srun. In a batch script, which sees SLURM_PROCID too, there is no step, and nobody was
   * launched yet. How many tasks a host has is told by {@link SlurmLists}.
   */
  SLURM(
      "Slurm",
      3,
      "SLURM_STEP_ID",
      ImmutableList.of("SLURM_PROCID"),
      ImmutableList.of("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"),
      ImmutableList.of("SLURM_LOCALID"),
      ImmutableList.of());

  /** The variable by which this project's launcher says that a process is one of its ranks. */
  public static final String TOMBOLO_EVIDENCE = "TOMBOLO_LAUNCHER";

  private final String title;
  private final int depth;
  final String evidence;
  final ImmutableList<String> rank;
  final ImmutableList<String> worldSize;
  final ImmutableList<String> localRank;
  final ImmutableList<String> localSize;

  Launcher(
      String title,
      int depth,
      String evidence,
      ImmutableList<String> rank,
      ImmutableList<String> worldSize,
      ImmutableList<String> localRank,
      ImmutableList<String> localSize) {
    this.title = title;
    this.depth = depth;
    this.evidence = evidence;
    this.rank = rank;
    this.worldSize = worldSize;
    this.localRank = localRank;
    this.localSize = localSize;
  }

  /** Whether its word counts less than {@code other}'s, which runs inside it. */
  boolean isOutside(Launcher other) {
    return depth > other.depth;
  }

  @Override
  public String toString() {
    return title;
  }
}
