// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import static io.tombolo.topology.launch.LaunchVariables.recorded;
import static io.tombolo.topology.launch.LaunchVariables.said;
import static io.tombolo.topology.launch.LaunchVariables.variables;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class LaunchEnvironmentTest {
  /**
   * Launcher; rank, size; local rank, local size; meeting point; job. Derived ports are 20000 +
   * int32_le(SHA-256(job)) mod 10000, as Python's hashlib has them.
   */
  @DataProvider
  public Object[][] environments() {
    return new Object[][] {
      {
        "torchrun",
        "torchrun",
        "5 (RANK), 16 (WORLD_SIZE)",
        "5 (LOCAL_RANK), 8 (LOCAL_WORLD_SIZE)",
        "10.0.0.1 (MASTER_ADDR), 29400 (MASTER_PORT)",
        "none (TORCHELASTIC_RUN_ID)"
      },
      {
        "torchrun-static",
        "torchrun",
        "2 (RANK), 4 (WORLD_SIZE)",
        "2 (LOCAL_RANK), 4 (LOCAL_WORLD_SIZE)",
        "127.0.0.1 (MASTER_ADDR), 29511 (MASTER_PORT)",
        "none (TORCHELASTIC_RUN_ID)"
      },
      {
        "torchrun-virtual-local-rank",
        "torchrun",
        "5 (RANK), 16 (WORLD_SIZE)",
        "0 (LOCAL_RANK), 8 (LOCAL_WORLD_SIZE)",
        "10.0.0.1 (MASTER_ADDR), 29400 (MASTER_PORT)",
        "none (TORCHELASTIC_RUN_ID)"
      },
      {
        "torchrun-in-slurm",
        "torchrun",
        "9 (RANK), 16 (WORLD_SIZE)",
        "1 (LOCAL_RANK), 8 (LOCAL_WORLD_SIZE)",
        "node0 (MASTER_ADDR), 29500 (MASTER_PORT)",
        "4711 (TORCHELASTIC_RUN_ID)"
      },
      {
        "tombolo-in-openmpi",
        "tombolo",
        "3 (RANK), 4 (WORLD_SIZE)",
        "3 (LOCAL_RANK), 4 (LOCAL_WORLD_SIZE)",
        "127.0.0.1 (MASTER_ADDR), 40123 (MASTER_PORT)",
        "1830879233 (PMIX_NAMESPACE)"
      },
      {
        "openmpi",
        "Open MPI",
        "2 (OMPI_COMM_WORLD_RANK), 4 (OMPI_COMM_WORLD_SIZE)",
        "2 (OMPI_COMM_WORLD_LOCAL_RANK), 4 (OMPI_COMM_WORLD_LOCAL_SIZE)",
        "127.0.0.1 (all ranks are on this host: OMPI_COMM_WORLD_LOCAL_SIZE=4),"
            + " 21268 (derived from PMIX_NAMESPACE=1830879233)",
        "1830879233 (PMIX_NAMESPACE)"
      },
      {
        "openmpi-two-hosts",
        "Open MPI",
        "3 (OMPI_COMM_WORLD_RANK), 4 (OMPI_COMM_WORLD_SIZE)",
        "1 (OMPI_COMM_WORLD_LOCAL_RANK), 2 (OMPI_COMM_WORLD_LOCAL_SIZE)",
        "-, 29011 (derived from PMIX_NAMESPACE=prterun-node0-1@1)",
        "prterun-node0-1@1 (PMIX_NAMESPACE)"
      },
      {
        "openmpi-in-slurm",
        "Open MPI",
        "5 (OMPI_COMM_WORLD_RANK), 8 (OMPI_COMM_WORLD_SIZE)",
        "1 (OMPI_COMM_WORLD_LOCAL_RANK), 4 (OMPI_COMM_WORLD_LOCAL_SIZE)",
        "-, 24690 (derived from PMIX_NAMESPACE=1324875777)",
        "1324875777 (PMIX_NAMESPACE)"
      },
      {
        "gaudi-openmpi",
        "Open MPI",
        "1 (OMPI_COMM_WORLD_RANK), 8 (OMPI_COMM_WORLD_SIZE)",
        "1 (OMPI_COMM_WORLD_LOCAL_RANK), 8 (OMPI_COMM_WORLD_LOCAL_SIZE)",
        "127.0.0.1 (all ranks are on this host: OMPI_COMM_WORLD_LOCAL_SIZE=8), -",
        "-"
      },
      {
        "hydra",
        "MPICH (Hydra)",
        "2 (PMI_RANK), 4 (PMI_SIZE)",
        "2 (MPI_LOCALRANKID), 4 (MPI_LOCALNRANKS)",
        "127.0.0.1 (all ranks are on this host: MPI_LOCALNRANKS=4), -",
        "-"
      },
      {
        "intel-mpi",
        "MPICH (Hydra)",
        "2 (PMI_RANK), 4 (PMI_SIZE)",
        "0 (MPI_LOCALRANKID), 2 (MPI_LOCALNRANKS)",
        "-, -",
        "-"
      },
      {
        "mvapich",
        "MVAPICH",
        "3 (MV2_COMM_WORLD_RANK), 4 (MV2_COMM_WORLD_SIZE)",
        "1 (MV2_COMM_WORLD_LOCAL_RANK), 2 (MV2_COMM_WORLD_LOCAL_SIZE)",
        "-, -",
        "-"
      },
      {
        "pals",
        "PALS",
        "13 (PALS_RANKID), 24 (PALS_SIZE)",
        "1 (PALS_LOCAL_RANKID), 12 (PALS_LOCAL_SIZE)",
        "-, 24025 (derived from PALS_APID=8b1f4f2e)",
        "8b1f4f2e (PALS_APID)"
      },
      {
        "slurm",
        "Slurm",
        "6 (SLURM_PROCID), 8 (SLURM_STEP_NUM_TASKS)",
        "2 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_STEP_NODELIST), 25248 (derived from SLURM_JOB_ID.SLURM_STEP_ID=1.0)",
        "1.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-pmi2",
        "Slurm",
        "6 (PMI_RANK), 8 (PMI_SIZE)",
        "2 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_STEP_NODELIST), 27032 (derived from SLURM_JOB_ID.SLURM_STEP_ID=2.0)",
        "2.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-pmix",
        "Slurm",
        "6 (SLURM_PROCID), 8 (SLURM_STEP_NUM_TASKS)",
        "2 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_STEP_NODELIST), 28345 (derived from PMIX_NAMESPACE=slurm.pmix.3.0)",
        "slurm.pmix.3.0 (PMIX_NAMESPACE)"
      },
      {
        "slurm-cray",
        "Slurm",
        "5 (PALS_RANKID), 8 (SLURM_STEP_NUM_TASKS)",
        "1 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_STEP_NODELIST), 22923 (derived from PALS_APID=4.0)",
        "4.0 (PALS_APID)"
      },
      {
        "slurm-cray-pmi",
        "Slurm",
        "5 (PALS_RANKID), 8 (PMI_SIZE)",
        "1 (PALS_LOCAL_RANKID), 2 (PMI_LOCAL_SIZE)",
        "nid001000 (the first of SLURM_STEP_NODELIST), 27340 (derived from PALS_APID=4711.0)",
        "4711.0 (PALS_APID)"
      },
      {
        "slurm-heterogeneous",
        "Slurm",
        "4 (SLURM_PROCID), 6 (SLURM_STEP_NUM_TASKS)",
        "2 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_JOB_NODELIST_PACK_GROUP_0), 21057 (derived from SLURM_JOB_ID.SLURM_STEP_ID=5.0)",
        "5.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-heterogeneous-swapped",
        "Slurm",
        "3 (SLURM_PROCID), 4 (SLURM_STEP_NUM_TASKS)",
        "2 (SLURM_LOCALID), 3 (number of SLURM_GTIDS)",
        "node2 (the first of SLURM_JOB_NODELIST_PACK_GROUP_0), 26413 (derived from SLURM_JOB_ID.SLURM_STEP_ID=7.0)",
        "7.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-heterogeneous-part",
        "Slurm",
        "1 (SLURM_PROCID), 2 (SLURM_STEP_NUM_TASKS)",
        "1 (SLURM_LOCALID), 2 (number of SLURM_GTIDS)",
        "127.0.0.1 (all ranks are on this host: number of SLURM_GTIDS=2), 25351 (derived from SLURM_JOB_ID.SLURM_STEP_ID=9.0)",
        "9.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-arbitrary",
        "Slurm",
        "3 (SLURM_PROCID), 4 (SLURM_STEP_NUM_TASKS)",
        "1 (SLURM_LOCALID), 2 (number of SLURM_GTIDS)",
        "-, 28390 (derived from SLURM_JOB_ID.SLURM_STEP_ID=11.0)",
        "11.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-in-pty",
        "Slurm",
        "6 (SLURM_PROCID), 8 (SLURM_STEP_NUM_TASKS)",
        "2 (SLURM_LOCALID), 4 (number of SLURM_GTIDS)",
        "node1 (the first of SLURM_STEP_NODELIST), 29045 (derived from SLURM_JOB_ID.SLURM_STEP_ID=14.0)",
        "14.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "torch-in-slurm",
        "Slurm",
        "6 (RANK), 8 (WORLD_SIZE)",
        "2 (SLURM_LOCALID), 4 (SLURM_STEP_TASKS_PER_NODE)",
        "node0 (MASTER_ADDR), 29500 (MASTER_PORT)",
        "99.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-pty",
        "-",
        "-, -",
        "-, -",
        "-, 25351 (derived from SLURM_JOB_ID.SLURM_STEP_ID=12.0)",
        "12.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-salloc",
        "-",
        "-, -",
        "-, -",
        "-, 27502 (derived from SLURM_JOB_ID.SLURM_STEP_ID=13.4294967290)",
        "13.4294967290 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "hydra-in-pty",
        "MPICH (Hydra)",
        "0 (PMI_RANK), 1 (PMI_SIZE)",
        "0 (MPI_LOCALRANKID), 1 (MPI_LOCALNRANKS)",
        "127.0.0.1 (all ranks are on this host: MPI_LOCALNRANKS=1), 29947 (derived from SLURM_JOB_ID.SLURM_STEP_ID=99.0)",
        "99.0 (SLURM_JOB_ID.SLURM_STEP_ID)"
      },
      {
        "slurm-batch",
        "-",
        "-, -",
        "-, -",
        "-, 25137 (derived from SLURM_JOB_ID=16)",
        "16 (SLURM_JOB_ID)"
      },
    };
  }

  @Test(dataProvider = "environments")
  public void shouldReadRecordedEnvironment(
      String name, String launcher, String ranks, String locals, String meeting, String job) {
    LaunchEnvironment environment = LaunchEnvironment.of(recorded(name));
    assertEquals(said(environment.launcher()), launcher);
    assertEquals(said(environment.rank()) + ", " + said(environment.worldSize()), ranks);
    assertEquals(said(environment.localRank()) + ", " + said(environment.localSize()), locals);
    assertEquals(
        said(environment.masterAddress()) + ", " + said(environment.masterPort()), meeting);
    assertEquals(said(environment.jobId()), job);
  }

  /** A step may be of some hosts of some groups only; names as in slurm-heterogeneous.env. */
  @Test
  public void shouldMeetOnTheFirstHostOfTheStepInTheFirstOfItsGroups() {
    Map<String, String> variables =
        variables(
            "SLURM_STEP_ID=0",
            "SLURM_PROCID=2",
            "SLURM_STEP_NUM_TASKS=3",
            "SLURM_LOCALID=0",
            "SLURM_GTIDS=2",
            "SLURM_STEP_NODELIST=a[1-2],c4",
            "SLURM_JOB_NODELIST_HET_GROUP_0=b[1-2]",
            "SLURM_JOB_NODELIST_HET_GROUP_1=c[3-4]",
            "SLURM_JOB_NODELIST_HET_GROUP_2=a[1-2]");
    assertEquals(
        said(LaunchEnvironment.of(variables).masterAddress()),
        "c4 (the first of SLURM_JOB_NODELIST_HET_GROUP_1)");
  }

  @Test
  public void shouldSayNothingWhereNobodyLaunched() {
    LaunchEnvironment environment = LaunchEnvironment.of(Map.of("HOME", "/root"));
    assertEquals(environment.launcher(), Optional.empty());
    assertEquals(environment.rank(), Optional.empty());
  }

  @DataProvider
  public Object[][] contradictions() {
    return new Object[][] {
      {
        variables("RANK=1", "WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4"),
        "RANK=1, OMPI_COMM_WORLD_RANK=2"
      },
      {variables("RANK=1", "WORLD_SIZE=4", "PMI_RANK=1", "PMI_SIZE=8"), "WORLD_SIZE=4, PMI_SIZE=8"},
      {
        variables("RANK=4", "WORLD_SIZE=4"),
        "RANK=4, but there are only so many ranks: WORLD_SIZE=4"
      },
      {variables("RANK=0"), "RANK=0, but WORLD_SIZE is not set"},
      {variables("RANK=x", "WORLD_SIZE=4"), "RANK=x is not a whole number"},
      {variables("RANK=-1", "WORLD_SIZE=4"), "RANK=-1 is not a whole number"},
      {
        variables("RANK=0", "WORLD_SIZE=4", "LOCAL_RANK=2", "LOCAL_WORLD_SIZE=2"),
        "LOCAL_RANK=2, but there are only so many ranks of this host: LOCAL_WORLD_SIZE=2"
      },
      {
        variables("RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=8"),
        "LOCAL_WORLD_SIZE=8 ranks on this host are more than the job has: WORLD_SIZE=4"
      },
      {
        variables("HLS_MODULE_ID=3", "HABANA_VISIBLE_MODULES=4,6"),
        "HLS_MODULE_ID=3 is not among HABANA_VISIBLE_MODULES=4,6"
      },
      {
        variables(
            "SLURM_STEP_ID=0",
            "SLURM_PROCID=0",
            "SLURM_NTASKS=2",
            "SLURM_NODEID=0",
            "SLURM_TASKS_PER_NODE=two"),
        "SLURM_TASKS_PER_NODE=two is not a list such as 4(x2),3"
      },
      {variables("MASTER_PORT=70000"), "MASTER_PORT=70000 is not a whole number from 1 to 65535"},
    };
  }

  @Test(dataProvider = "contradictions")
  public void shouldNameBothSourcesOfAContradiction(Map<String, String> variables, String words) {
    UsageException error =
        expectThrows(UsageException.class, () -> LaunchEnvironment.of(variables));
    assertTrue(error.getMessage().contains(words), error.getMessage());
  }
}
