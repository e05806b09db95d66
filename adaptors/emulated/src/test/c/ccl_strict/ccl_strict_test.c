// SPDX-License-Identifier: Apache-2.0
/* The habits of collective libraries, each on and off, in a process of its own: docs/emulated-devices.md. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "../../../main/c/shared/ccl_alive.h"
#include "../../../main/c/shared/ccl_queue.h"
#include "../check.h"

enum { LIMIT_S = 300, MEMBERS = 2, SMALL = 1, LARGE = 1024, WHILE_NS = 100000000, LINE = 256 };

static const char* report_file;

typedef struct member {
  pthread_t thread;
  const unsigned char* id;
  int rank;
  struct engine_comm* comm;
  struct engine_call call;
  enum engine_result result;
  atomic_bool inside;
  atomic_bool done;
} member;

static void* join(void* argument) {
  member* self = argument;
  CHECK(engine_join(&self->comm, self->id, self->rank, MEMBERS) == ENGINE_OK);
  return NULL;
}

static void* connect_first(void* argument) {
  member* self = argument;
  CHECK(emu_comm_enter(self->comm, EMU_COLLECTIVE));
  atomic_store(&self->inside, true);
  self->result = emu_connect(self->comm, &self->call);
  emu_comm_leave(self->comm, EMU_COLLECTIVE);
  atomic_store(&self->done, true);
  return NULL;
}

static void start(member* who, void* (*what)(void*)) { CHECK(pthread_create(&who->thread, NULL, what, who) == 0); }

static void join_all(member members[MEMBERS], unsigned char id[ENGINE_ID_BYTES]) {
  CHECK(engine_unique_id(id) == ENGINE_OK);
  for (int rank = 0; rank < MEMBERS; rank++) {
    members[rank] = (member){.id = id, .rank = rank};
    start(&members[rank], join);
  }
  for (int rank = 0; rank < MEMBERS; rank++) {
    CHECK(pthread_join(members[rank].thread, NULL) == 0);
  }
}

static void begin(member* who, enum engine_collective what, size_t count) {
  who->call = (struct engine_call){.what = what, .count = count, .type = ENGINE_F32};
  atomic_store(&who->inside, false);
  atomic_store(&who->done, false);
  start(who, connect_first);
  while (!atomic_load(&who->inside)) {
    (void)sched_yield();
  }
}

/* Whether it stays in its call for a while. */
static bool is_alone(const member* who) {
  (void)nanosleep(&(struct timespec){0, WHILE_NS}, NULL);
  return !atomic_load(&who->done);
}

static bool ends(member* who, enum engine_result result) {
  return pthread_join(who->thread, NULL) == 0 && who->result == result;
}

static bool waits_for_the_other(member members[MEMBERS], enum engine_collective what, size_t count) {
  begin(&members[0], what, count);
  bool waits = is_alone(&members[0]);
  begin(&members[1], what, count);
  return ends(&members[0], ENGINE_OK) && ends(&members[1], ENGINE_OK) && waits;
}

static bool returns_alone(member* who, enum engine_collective what, size_t count) {
  begin(who, what, count);
  return ends(who, ENGINE_OK);
}

/* The first call of a kind, and of many bytes, blocks until all have made theirs; later ones do not; an abort lets it out. */
static void connects(void) {
  unsigned char id[ENGINE_ID_BYTES];
  member members[MEMBERS];
  join_all(members, id);
  CHECK(waits_for_the_other(members, ENGINE_ALL_REDUCE, SMALL));
  CHECK(returns_alone(&members[1], ENGINE_ALL_REDUCE, SMALL));
  CHECK(waits_for_the_other(members, ENGINE_BROADCAST, SMALL));
  CHECK(waits_for_the_other(members, ENGINE_ALL_REDUCE, LARGE));
  begin(&members[0], ENGINE_ALL_GATHER, SMALL);
  CHECK(is_alone(&members[0]));
  emu_comm_abort(members[0].comm);
  CHECK(ends(&members[0], ENGINE_REMOTE));
}

static void connects_at_once(void) {
  unsigned char id[ENGINE_ID_BYTES];
  member members[MEMBERS];
  join_all(members, id);
  CHECK(returns_alone(&members[0], ENGINE_ALL_REDUCE, SMALL));
}

/* The algorithms, that is: not the first call of a kind. */
static void connects_algorithms_while_joining(void) {
  unsigned char id[ENGINE_ID_BYTES];
  member members[MEMBERS];
  CHECK(setenv("NCCL_RUNTIME_CONNECT", "0", 1) == 0);
  join_all(members, id);
  CHECK(waits_for_the_other(members, ENGINE_ALL_REDUCE, SMALL));
  CHECK(returns_alone(&members[0], ENGINE_ALL_REDUCE, LARGE));
}

/* Whether the only report since the last look has `words` in it. */
static bool is_reported(const char* words) {
  char line[LINE] = "";
  char more[LINE];
  FILE* file = fopen(report_file, "re");
  CHECK(file != NULL);
  bool right = fgets(line, sizeof line, file) != NULL && strstr(line, words) != NULL && fgets(more, sizeof more, file) == NULL;
  CHECK(fclose(file) == 0 && truncate(report_file, 0) == 0);
  return right;
}

/* An address that nobody has: a communicator is not looked into. */
static const struct engine_comm* nobody(void) {
  static char place;
  return (const struct engine_comm*)(const void*)&place;
}

/* An abort frees the communicator, whoever asks it something now or later, or frees it once more. */
static void aborts(void) {
  const struct engine_comm* comm = nobody();
  emu_comm_born(comm);
  CHECK(emu_comm_enter(comm, EMU_QUESTION));
  CHECK(emu_comm_free(comm, "an abort"));
  CHECK(is_reported("an abort on thread "));
  emu_comm_leave(comm, EMU_QUESTION);
  CHECK(!emu_comm_enter(comm, EMU_QUESTION));
  CHECK(is_reported("a question for its error on thread "));
  CHECK(!emu_comm_enter(comm, EMU_COLLECTIVE));
  CHECK(is_reported("a collective on thread "));
  CHECK(!emu_comm_free(comm, "an abort"));
  CHECK(is_reported("an abort of a communicator that was aborted or destroyed before"));
  emu_comm_born(comm);
  CHECK(emu_comm_enter(comm, EMU_COLLECTIVE));
  CHECK(emu_comm_free(comm, "an abort")); /* which lets a collective out */
  CHECK(!is_reported(""));
}

static void aborts_kindly(void) {
  const struct engine_comm* comm = nobody();
  CHECK(emu_comm_free(comm, "an abort"));
  CHECK(emu_comm_enter(comm, EMU_QUESTION));
  CHECK(emu_comm_free(comm, "an abort"));
  CHECK(!is_reported(""));
}

static const struct {
  const char* kind; /* what is switched off */
  void (*holds)(void);
} rows[] = {
    {"", connects}, {"", connects_algorithms_while_joining}, {"connects", connects_at_once}, {"", aborts}, {"aborts", aborts_kindly},
};

static int run_row(size_t row) {
  pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("TOMBOLO_EMU_KIND", rows[row].kind, 1) == 0 && setenv("TOMBOLO_EMU_REPORT", report_file, 1) == 0);
    (void)alarm(LIMIT_S); /* a call that waits and should not does so for ever */
    rows[row].holds();
    _exit(0);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

int main(void) {
  char file[] = "/tmp/tombolo-strict-XXXXXX";
  int fd = mkstemp(file);
  CHECK(fd >= 0 && close(fd) == 0);
  report_file = file;
  int failed = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (run_row(i) != 0) {
      (void)fprintf(stderr, "row %zu failed, kind '%s'\n", i, rows[i].kind);
      failed = 1;
    }
  }
  CHECK(unlink(file) == 0);
  return failed;
}
