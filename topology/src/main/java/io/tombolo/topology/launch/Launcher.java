package io.tombolo.topology.launch;

/**
 * A launcher as a table row: which variables hold what. An empty name means that it does not say.
 *
 * <p>Order is nesting: what comes first is nearer to the process. torchrun runs inside everything;
 * MPI launchers run inside Slurm allocations. Sources: torch.distributed.elastic's
 * local_elastic_agent.py; Open MPI's and MPICH's manuals; the Slurm manual of srun; HPE's PALS.
 */
public enum Launcher {
  /** PyTorch's elastic agent. */
  TORCHRUN(
      "torchrun", 0, "TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
  /** The same variables, set by hand or by a script. */
  TORCH("torch variables", 1, "RANK", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
  /** Open MPI. */
  OPEN_MPI(
      "Open MPI",
      1,
      "OMPI_COMM_WORLD_RANK",
      "OMPI_COMM_WORLD_RANK",
      "OMPI_COMM_WORLD_SIZE",
      "OMPI_COMM_WORLD_LOCAL_RANK",
      "OMPI_COMM_WORLD_LOCAL_SIZE"),
  /** HPE's launcher on Cray systems, which also speaks PMI. */
  PALS(
      "PALS", 1, "PALS_RANKID", "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"),
  /** MPICH and Intel MPI. */
  HYDRA(
      "MPICH (Hydra)", 1, "PMI_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
  /** MVAPICH. */
  MVAPICH(
      "MVAPICH",
      1,
      "MV2_COMM_WORLD_RANK",
      "MV2_COMM_WORLD_RANK",
      "MV2_COMM_WORLD_SIZE",
      "MV2_COMM_WORLD_LOCAL_RANK",
      "MV2_COMM_WORLD_LOCAL_SIZE"),
  /** Slurm's srun. */
  SLURM("Slurm", 2, "SLURM_PROCID", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "");

  private final String title;
  private final int depth;
  final String evidence;
  final String rank;
  final String worldSize;
  final String localRank;
  final String localSize;

  Launcher(
      String title,
      int depth,
      String evidence,
      String rank,
      String worldSize,
      String localRank,
      String localSize) {
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
