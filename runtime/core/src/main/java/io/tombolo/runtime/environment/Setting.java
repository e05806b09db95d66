// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

/**
 * What users can set of a rank, each by its {@linkplain #variable environment variable}. The table
 * in docs/using-it.md says the same.
 */
public enum Setting {
  STORE("who hosts the store: tombolo, torch or rank0", "what the launcher does", Scope.JOB),
  TOKEN("the job's secret, 64 hexadecimal digits", "none", Scope.JOB),
  VENDOR("the vendor of this rank's device", "none", Scope.RANK),
  TIMEOUT_MS("how long any wait may take", "300000", Scope.RANK),
  JOIN_TIMEOUT_MS(
      "how long joining may take, of which ranks give each other the longest",
      "the time of any wait, but with a real vendor at least 300000",
      Scope.RANK),
  LIVENESS_MS(
      "within which time a rank, or a store, that is silent ends the job; 0: never, for a rank in a "
          + "debugger on another host, but over udp 10 s",
      "10000",
      Scope.RANK),
  RECORDER("the folder in which this rank records its last operations", "none", Scope.RANK),
  RECORDER_OPERATIONS(
      "how many of each communicator it keeps, collectives and messages each, up to 1048576, "
          + "rounded up to a power of two from 1024",
      "1024",
      Scope.RANK),
  GROUP("the name of the communicator, where several meet in one store", "none", Scope.JOB),
  GENERATION(
      "how often the ranks have been started before: what earlier ones left "
          + "in the store does not count",
      "torchrun's TORCHELASTIC_RESTART_COUNT, or 0",
      Scope.JOB),
  DEVICE(
      "this rank's device, as a number among those that it can see; given to the launcher, all "
          + "ranks' device",
      "the one that the launcher leaves it",
      Scope.RANK),
  FABRICS(
      "fabrics in order of preference; tcp among them stands in for uc and ud where these do not "
          + "open; others, such as udp, are used only when named here",
      "shm, RDMA (rc on InfiniBand and lossless Ethernet, on other Ethernet uc, or ud if one "
          + "of the two devices has no UC; none on an AWS EFA that nobody named), ucx, tcp",
      Scope.JOB),
  RDMA_DEVICE(
      "the RDMA device, as ibv_devices lists it",
      "the first of TOMBOLO_RDMA_NEAR, and then of all, that can be used, an AWS EFA only where it"
          + " is named here, or ud in TOMBOLO_FABRICS and there is nothing else: no real one was"
          + " tried",
      Scope.RANK),
  RDMA_NEAR(
      "RDMA devices in order of preference, separated by commas",
      "from the nearest to this rank's device on, ranks of a host in turn among equals",
      Scope.RANK),
  RDMA_GID_INDEX(
      "the entry of the port's GID table",
      "RoCE v2 before v1, IPv4 before IPv6, routable before link-local",
      Scope.RANK),
  RDMA_SERVICE_LEVEL("the InfiniBand service level, 0 to 15", "0", Scope.RANK),
  RDMA_TRAFFIC_CLASS(
      "the traffic class, 0 to 255: on RoCE v2 the IP header's type of "
          + "service, four times the DSCP; ud sets the lowest two bits itself, so that queues can "
          + "mark its packets",
      "0",
      Scope.RANK),
  RDMA_PKEY_INDEX("the entry of the port's table of partition keys", "0", Scope.RANK),
  RDMA_LOSSLESS(
      "yes where priority flow control keeps the whole way of this traffic class from "
          + "dropping packets: ranks that all say so use rc; no: never rc",
      "what InfiniBand is and Ethernet is not",
      Scope.RANK),
  RDMA_RAILS(
      "how many RDMA devices this rank uses at once, 1 to 8: its channels' bytes are spread over "
          + "them by their rates, and one that fails costs speed only",
      "1",
      Scope.RANK),
  RDMA_PATHS(
      "queue pairs of a channel over uc, 1 to 4, each of which may take "
          + "a different route through the network",
      "1",
      Scope.RANK),
  IBVERBS("the verbs library", "libibverbs.so.1", Scope.RANK),
  FAULTS(
      "faults to inject into what this rank sends over udp, uc or ud: "
          + ""
          + "loss=1%,burst=8,reorder=5%:1ms,spray=4:20us,duplicate=1%,delay=50us,rate=1Gbit,queue=4MB,clog=0.1%:5ms,partition=0.01%:20ms,seed=42, each optional",
      "none", Scope.RANK),
  SEGMENT_BYTES("bytes of a segment, into which vectors are cut", "2097152", Scope.JOB),
  ALGORITHMS(
      "which algorithm serves which calls: all_reduce:0-4k@doubling#all_gather@pieces",
      "left to the tuner",
      Scope.JOB),
  TUNER("who chooses the algorithm if no rule does", "cost, the cost model", Scope.JOB),
  REDUCE("where this rank combines what it receives: device, host or auto", "auto", Scope.RANK),
  REDUCERS(
      "threads of this rank that combine large pieces, 0 to 64",
      "its share of the cores, less one",
      Scope.RANK),
  CHECK_ROUNDS(
      "1: refuse, with an error, calls of a device's runtime that may wait for a held stream "
          + "where they would hang",
      "0",
      Scope.RANK),
  HOLD(
      "always: hold callers' streams even where a thread that frees memory meanwhile hangs with "
          + "all others; auto: not there",
      "auto",
      Scope.RANK),
  RELAYS(
      "which members carry a cluster's data to others: nics (on each host the member nearest "
          + "to each NIC, weighted by speed), all members equally, or auto: nics if "
          + "the job spans hosts",
      "auto",
      Scope.JOB),
  SIMULATED_MACHINE(
      "take this rank's path to its NICs from a machine in the form of "
          + "topo --simulate, not from this one",
      "none",
      Scope.RANK),
  VOTE_FIRST(
      "1: agree with the other ranks before a call goes to the vendor's library, even where it "
          + "could go straight onto its caller's stream",
      "0",
      Scope.RANK),
  KEEP_CALLERS(
      "1: a caller that wants to be back soon, as all of torch's do, goes into a library that "
          + "cannot abort itself, and is kept there if another rank dies in that call; 0: another "
          + "thread goes",
      "0",
      Scope.RANK),
  WARM_UP_MS(
      "how long a rank that knows the others may go on to make calls of its own while it joins, the"
          + " first time in its process, so that the first of its user find compiled code, up to"
          + " 10000, and to a quarter of TOMBOLO_TIMEOUT_MS; 0: not at all",
      "300 in ranks that the launcher starts, and through the C interface and torch; 0 in other"
          + " programs",
      Scope.RANK),
  VERIFY_PLANS(
      "1: prove each new plan of a job of at most 16 ranks before it is used", "0", Scope.RANK),
  CALIBRATION(
      "on rank 0: auto (what was measured for these ranks), off, or a file", "auto", Scope.RANK),
  CACHE("the user's cache folder", "tombolo in XDG_CACHE_HOME or ~/.cache", Scope.RANK),
  ONECCL_DIR(
      "the folder of oneCCL's libraries", "the one that ./tombolo get oneccl fills", Scope.RANK);

  /** Who has to agree on a value. */
  public enum Scope {
    /** Each rank for itself. */
    RANK,
    /** All ranks of the job. */
    JOB
  }

  private final String meaning;
  private final String fallback;
  private final Scope scope;

  Setting(String meaning, String fallback, Scope scope) {
    this.meaning = meaning;
    this.fallback = fallback;
    this.scope = scope;
  }

  /** The environment variable. */
  public String variable() {
    return EnvironmentReader.PREFIX + name();
  }

  /** What it sets, for people. */
  public String meaning() {
    return meaning;
  }

  /** The value where it is not set, or how that is found. */
  public String fallback() {
    return fallback;
  }

  /** Who has to agree on its value. */
  public Scope scope() {
    return scope;
  }

  /** Whether its value is nobody else's business. */
  public boolean isSecret() {
    return this == TOKEN;
  }
}
