/* SPDX-License-Identifier: Apache-2.0 */
#include "compilers.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A launcher, by the variable that only it sets; of several names the first that is set counts. */
struct launcher {
  const char* evidence;
  const char* world_sizes[2];
  const char* local_sizes[2];
  const char* hosts[2];
};

/* Java's rows (Launcher.java), in the same order: what comes first is nearer to the process. Our launcher and torchrun
 * set torch's variables. Slurm counts hosts instead. */
static const struct launcher LAUNCHERS[] = {
  {"RANK", {"WORLD_SIZE"}, {"LOCAL_WORLD_SIZE"}, {NULL}},
  {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_SIZE"}, {NULL}},
  {"PALS_RANKID", {"PALS_SIZE"}, {"PALS_LOCAL_SIZE"}, {NULL}},
  {"PMI_RANK", {"PMI_SIZE"}, {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"}, {NULL}},
  {"MV2_COMM_WORLD_RANK", {"MV2_COMM_WORLD_SIZE"}, {"MV2_COMM_WORLD_LOCAL_SIZE"}, {NULL}},
  {"SLURM_STEP_ID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, {NULL}, {"SLURM_STEP_NUM_NODES", "SLURM_NNODES"}},
};

/* Those whose packets Java makes. */
static const char* const MADE_BY_JAVA[] = {"uc", "ud", "udp"};

static const char* value_of(const char* name) {
  const char* value = name == NULL ? NULL : getenv(name);
  while (value != NULL && isspace((unsigned char)*value)) {
    value++;
  }
  return value == NULL || *value == 0 ? NULL : value;
}

/* The number in the first of `names` that is set; 0 if that is none. */
static long number_of(const char* const names[2]) {
  const char* value = value_of(names[0]) != NULL ? value_of(names[0]) : value_of(names[1]);
  char* end = NULL;
  long number = value == NULL ? 0 : strtol(value, &end, 10);
  while (end != NULL && isspace((unsigned char)*end)) {
    end++;
  }
  return number > 0 && *end == 0 ? number : 0;
}

/* The innermost launcher that says so is believed; one further out only if it has as many ranks: the same. A program
 * that says its ranks is nearer than all launchers. */
static bool spans_hosts(const struct known_job* job) {
  long ranks = job->ranks;
  if (ranks > 0 && job->local_ranks > 0) {
    return job->local_ranks < ranks;
  }
  for (size_t i = 0; i < sizeof LAUNCHERS / sizeof LAUNCHERS[0]; i++) {
    const struct launcher* launcher = &LAUNCHERS[i];
    long all = value_of(launcher->evidence) == NULL ? 0 : number_of(launcher->world_sizes);
    if (all == 0 || (ranks != 0 && ranks != all)) {
      continue;
    }
    ranks = all;
    long here = i == 0 && job->local_ranks > 0 ? job->local_ranks : number_of(launcher->local_sizes);
    long hosts = number_of(launcher->hosts);
    if (here != 0 || hosts != 0) {
      return here != 0 ? here < all : hosts > 1;
    }
  }
  return false;
}

static bool is_made_by_java(const char* fabric, size_t length) {
  for (size_t i = 0; i < sizeof MADE_BY_JAVA / sizeof MADE_BY_JAVA[0]; i++) {
    if (strlen(MADE_BY_JAVA[i]) == length && strncmp(MADE_BY_JAVA[i], fabric, length) == 0) {
      return true;
    }
  }
  return false;
}

static bool names_a_fabric_of_java(const char* fabrics) {
  static const char BETWEEN[] = ", \t\n";
  while (fabrics != NULL && *fabrics != 0) {
    fabrics += strspn(fabrics, BETWEEN);
    size_t length = strcspn(fabrics, BETWEEN);
    if (is_made_by_java(fabrics, length)) {
      return true;
    }
    fabrics += length;
  }
  return false;
}

bool is_first_compiler_enough(const struct known_job* job) {
  const char* fabrics = job->fabrics != NULL ? job->fabrics : getenv("TOMBOLO_FABRICS");
  return !names_a_fabric_of_java(fabrics) && !spans_hosts(job);
}
