// SPDX-License-Identifier: Apache-2.0
/*
 * Processes that were started one by one become the ranks of an MPI job, which MPI has no call for: mpirun is started with as
 * many placeholders as there are members. Each tells the variables that mpirun gave it, by which a process finds mpirun's
 * server and its place in the job; the members take them over and initialise MPI as those ranks. Tried with Open MPI 4.1.4.
 *
 * The first placeholder reads a pipe whose other end the members hold: when the last of them is gone, mpirun ends, and not
 * before, because a rank whose server goes away is ended by Open MPI.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "mpi.h"

enum { START_MS = 30000, MAX_KEPT = 64, PATH_BYTES = 4096 };

/* Open MPI's own name first: where several MPIs are installed, plain mpirun may be another's. */
static char* const STARTERS[] = {"mpirun.openmpi", "mpirun"};

bool mpi_job_can_start(void) {
  const char* folder = getenv("PATH");
  folder = folder == NULL ? "/bin:/usr/bin" : folder; /* as posix_spawnp has it */
  while (*folder != '\0') {
    int length = (int)strcspn(folder, ":");
    for (size_t i = 0; i < sizeof STARTERS / sizeof *STARTERS; i++) {
      char file[PATH_BYTES];
      int bytes = snprintf(file, sizeof file, "%.*s/%s", length, folder, STARTERS[i]);
      if (bytes > 0 && bytes < PATH_BYTES && access(file, X_OK) == 0) {
        return true;
      }
    }
    folder += length + (folder[length] == ':');
  }
  return false;
}

/* Each line comes back with the rank before it, as in "[1,0]<stdout>:NAME=VALUE". */
static char placeholder[] =
    "env | grep -E '^(OMPI|PMIX|PMI)_'; echo DONE;"
    "[ \"$OMPI_COMM_WORLD_RANK\" = 0 ] && { cat > /dev/null; exit 1; };"
    "while :; do sleep 1000; done";

/* What of this process's environment mpirun gets: nothing of a job that this process is part of. */
static bool is_kept(const char* variable) {
  static const char* const KEPT[] = {"PATH=", "HOME=", "USER=", "TMPDIR=", "LD_LIBRARY_PATH=", "OMPI_MCA_mpi_", "OMPI_MCA_pml="};
  for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
    if (strncmp(variable, KEPT[i], strlen(KEPT[i])) == 0) {
      return true;
    }
  }
  return false;
}

static int spawn_with(posix_spawn_file_actions_t* files, posix_spawnattr_t* how, int size) {
  char count[16];
  char* environment[MAX_KEPT + 3];
  int kept = 0;
  (void)snprintf(count, sizeof count, "%d", size);
  for (char** variable = environ; *variable != NULL && kept < MAX_KEPT; variable++) {
    if (is_kept(*variable)) {
      environment[kept++] = *variable;
    }
  }
  if (geteuid() == 0) { /* mpirun asks root twice; who runs us as root has answered */
    environment[kept++] = "OMPI_ALLOW_RUN_AS_ROOT=1";
    environment[kept++] = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  }
  environment[kept] = NULL;
  int failed = ENOENT;
  for (int i = 0; i < 2 && failed != 0; i++) {
    char* arguments[] = {STARTERS[i], "-n",     count,      "--oversubscribe", "--bind-to", "none", "--mca", "plm",
                         "isolated", "--tag-output", "sh", "-c",              placeholder, NULL};
    pid_t process;
    failed = posix_spawnp(&process, STARTERS[i], files, how, arguments, environment);
  }
  return failed;
}

/* mpirun, reading `in` and writing `out`; in a session of its own, so that a Ctrl-C for us does not end it first. */
static enum engine_result spawn_mpirun(int in, int out, int size) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  if (posix_spawn_file_actions_init(&files) != 0 || posix_spawnattr_init(&how) != 0) {
    return engine_error(ENGINE_SYSTEM, "no memory to start mpirun");
  }
  sigset_t none;
  (void)sigemptyset(&none);
  int failed = posix_spawn_file_actions_adddup2(&files, in, 0);
  failed = failed != 0 ? failed : posix_spawn_file_actions_adddup2(&files, out, 1);
  failed = failed != 0 ? failed : posix_spawn_file_actions_adddup2(&files, out, 2);
  failed = failed != 0 ? failed : posix_spawnattr_setsigmask(&how, &none);
  failed = failed != 0 ? failed : posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  failed = failed != 0 ? failed : spawn_with(&files, &how, size);
  (void)posix_spawn_file_actions_destroy(&files);
  (void)posix_spawnattr_destroy(&how);
  return failed == 0 ? ENGINE_OK
                     : engine_error(ENGINE_SYSTEM, "cannot start mpirun: %s; install Open MPI's (package openmpi-bin)",
                                    strerror(failed));
}

/* What the placeholders have said so far, by rank. */
struct answers {
  char* text[ENGINE_MAX_RANKS];
  size_t bytes[ENGINE_MAX_RANKS];
  int missing;
  char other[160]; /* the first words that are no placeholder's: an error of mpirun */
};

/* Takes in one line, without its end. */
static bool hear(struct answers* answers, char* line, int size) {
  int job, rank, begin = 0;
  if (sscanf(line, "[%d,%d]<stdout>:%n", &job, &rank, &begin) < 2 || begin == 0 || rank < 0 || rank >= size) {
    if (strspn(line, "- ") < strlen(line) && answers->other[0] == '\0') {
      (void)snprintf(answers->other, sizeof answers->other, "%s", line);
    }
    return true;
  }
  const char* variable = line + begin;
  if (strcmp(variable, "DONE") == 0) {
    answers->missing--;
    return true;
  }
  size_t bytes = strlen(variable) + 1;
  char* text = realloc(answers->text[rank], answers->bytes[rank] + bytes);
  if (text == NULL) {
    return false;
  }
  memcpy(text + answers->bytes[rank], variable, bytes);
  answers->text[rank] = text;
  answers->bytes[rank] += bytes;
  return true;
}

/* Waits for more from mpirun; false when there will be none. */
static bool more(int from, FILE* lines, char** line, size_t* capacity, int64_t deadline_ns) {
  int64_t left_ms = (deadline_ns - engine_now_ns()) / 1000000;
  struct pollfd wanted = {.fd = from, .events = POLLIN};
  return left_ms > 0 && poll(&wanted, 1, (int)left_ms) > 0 && getline(line, capacity, lines) > 0;
}

static enum engine_result listen_to(int from, int size, struct answers* answers) {
  int64_t deadline_ns = engine_now_ns() + START_MS * 1000000LL;
  FILE* lines = fdopen(dup(from), "r");
  if (lines == NULL) {
    return engine_error(ENGINE_SYSTEM, "cannot read what mpirun writes: %s", strerror(errno));
  }
  (void)setvbuf(lines, NULL, _IONBF, 0); /* poll must see what was not read */
  char* line = NULL;
  size_t capacity = 0;
  bool heard = true;
  while (heard && answers->missing > 0 && more(from, lines, &line, &capacity, deadline_ns)) {
    line[strcspn(line, "\n")] = '\0';
    heard = hear(answers, line, size);
  }
  free(line);
  (void)fclose(lines);
  return answers->missing == 0 && heard
             ? ENGINE_OK
             : engine_error(ENGINE_SYSTEM, "mpirun did not start %d of %d placeholders within %d s: %s", answers->missing, size,
                            START_MS / 1000, answers->other);
}

/* The answers, rank after rank. */
static enum engine_result write_down(const struct answers* answers, int size, struct mpi_job* job) {
  for (int rank = 0; rank < size; rank++) {
    if (job->bytes + answers->bytes[rank] + 1 > sizeof job->variables) {
      return engine_error(ENGINE_SYSTEM, "mpirun's variables for %d ranks are more than %zu bytes", size, sizeof job->variables);
    }
    memcpy(job->variables + job->bytes, answers->text[rank], answers->bytes[rank]);
    job->bytes += (uint32_t)answers->bytes[rank];
    job->variables[job->bytes++] = '\0';
  }
  return ENGINE_OK;
}

enum engine_result mpi_job_start(struct mpi_job* job, int size) {
  int in[2], out[2];
  if (getrandom(&job->name, sizeof job->name, 0) != sizeof job->name || pipe2(in, O_CLOEXEC) != 0) {
    return engine_error(ENGINE_SYSTEM, "cannot prepare for mpirun: %s", strerror(errno));
  }
  if (pipe2(out, O_CLOEXEC) != 0) {
    (void)close(in[0]);
    (void)close(in[1]);
    return engine_error(ENGINE_SYSTEM, "no pipe to mpirun: %s", strerror(errno));
  }
  job->name |= 1;
  job->process = (int32_t)getpid();
  job->descriptor = in[1];
  job->bytes = 0;
  struct answers answers = {.missing = size};
  enum engine_result result = spawn_mpirun(in[0], out[1], size);
  (void)close(in[0]);
  (void)close(out[1]);
  if (result == ENGINE_OK) {
    result = listen_to(out[0], size, &answers);
  }
  if (result == ENGINE_OK) {
    result = write_down(&answers, size, job);
  }
  for (int rank = 0; rank < size; rank++) {
    free(answers.text[rank]);
  }
  if (result != ENGINE_OK) {
    (void)close(in[1]);
    (void)close(out[0]);
  }
  return result; /* else both stay open for the life of the process: mpirun is never left without a reader */
}

/* Opens the other process's end of the pipe for as long as this process lives. */
static enum engine_result keep_server(const struct mpi_job* job) {
  if (job->process == (int32_t)getpid()) {
    return ENGINE_OK;
  }
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", job->process, job->descriptor);
  return open(path, O_WRONLY | O_CLOEXEC) >= 0 ? ENGINE_OK
                                               : engine_error(ENGINE_SYSTEM, "cannot open %s: %s", path, strerror(errno));
}

enum engine_result mpi_job_enter(const struct mpi_job* job, int rank) {
  uint32_t at = 0;
  for (int before = 0; before < rank && at < job->bytes; before++) {
    for (; at < job->bytes && job->variables[at] != '\0'; at += (uint32_t)strlen(job->variables + at) + 1) {
    }
    at++;
  }
  while (at < job->bytes && job->variables[at] != '\0') {
    const char* variable = job->variables + at;
    size_t name = strcspn(variable, "=");
    char copy[256];
    if (name >= sizeof copy || variable[name] == '\0') {
      return engine_error(ENGINE_SYSTEM, "mpirun gave a variable that is none: %.60s", variable);
    }
    memcpy(copy, variable, name);
    copy[name] = '\0';
    if (setenv(copy, variable + name + 1, 1) != 0) {
      return engine_error(ENGINE_SYSTEM, "no memory for the variable %s", copy);
    }
    at += (uint32_t)strlen(variable) + 1;
  }
  return keep_server(job);
}
