// SPDX-License-Identifier: Apache-2.0
/*
 * habits LIBRARY [--jobs N] [PREFIX...]: what a CUDA driver does where its documents are silent. LIBRARY is libcuda.so.1, or the
 * emulated libtombolo_emu_nvidia.so, whose habits (docs/emulated-devices.md) can so be held against a device's:
 *
 *     gcc -O2 -Wall -Wextra -Werror -o habits bench/gpu/[a-z]*.c -ldl -pthread
 *     ./habits libcuda.so.1 --jobs 8 > real.tsv
 *     ./habits .../libtombolo_emu_nvidia.so > emulated.tsv
 *
 * One line per fact, in no particular order: NAME, ANSWER and a DETAIL for people, with tabs between. The names:
 *
 *   facts.*                         attributes of the device, versions, priorities
 *   SITUATION.CALL                  whether a call returns: "returns", "waits" (for 400 ms, until the stream was released),
 *                                   "hangs" (for 1.5 s more), "error N", "absent" (the library has no such function, or takes
 *                                   no PTX), "unprepared" (what it needs could not be made)
 *   SITUATION.CALL.again            the same of a second call, where the first waited
 *   SITUATION.CALL.work             whether what it queued was done before the release: "done", "queued" (for 100 ms)
 *   SITUATION.CALL.capture, .end    whether the capture goes on: "active", "invalidated"; and what ending it answers
 *   beside.SITUATION.WAITING.CALL   the same of a call while another thread is in WAITING, which waits for the held stream;
 *                                   "alone" if that has returned
 *   queues.CONNECTIONS.BY.HELD.PRIORITIES.WORK[.cold]   how many of 64 streams do their work beside HELD held ones; the detail
 *                                   names the others. cold: none of the 64 was used before
 *   errors.*                        what wrong calls answer, and how their streams end: "passes", "waits"
 *   latency.*                       medians in ns, or GB/s; alone on the device, after all else
 *
 * Situations: idle (nothing is held), no_context (on a thread without one); wait64, wait32 and poll (the stream is held by a wait
 * for a page-locked word, or by a kernel that polls one), with _blocking for a stream that is not a non-blocking one, and _eager
 * with CUDA_MODULE_LOADING=EAGER; capture_MODE_same and _other (the thread that calls captures, or another one; capture_blocking_*
 * are in the global mode, on a stream that is not a non-blocking one). A call is made on a thread of its own, and on streams that
 * are not held unless its name says so.
 *
 * This process never touches CUDA. It runs itself for each section (sections.h), N at a time (4), with an end to whatever says
 * nothing for too long: "timeout"; "died" with the signal; "lingers" where it ends, and the driver does not let go. The next case
 * is then another process's. PREFIX...: only sections whose name begins so (facts, held.SITUATION, beside.SITUATION,
 * queues.CONNECTIONS, errors, latency).
 *
 * Where the driver has no compiler of PTX (error 221): ./habits --ptx > k.ptx; ptxas -arch=sm_90 -o k.cubin k.ptx;
 * HABITS_CODE=k.cubin ./habits ...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sections.h"
#include "world.h"

enum { START_MS = 20000, SILENCE_MS = 5000, REAP_MS = 3000, LINE = 4096, TEXT = 32, JOBS = 4, MOST_JOBS = 64 };

typedef struct section {
  const char* name; /* of what it is made of */
  const char* what;
  const char* setting; /* for the environment; or NULL */
  section_count* count;
  section_run* run;
  bool each; /* each case in a process of its own */
  bool alone;
} section;

static const section SECTIONS[] = {
    {"facts", "", NULL, facts_count, facts_run, false, false},
    {"held", "wait64", NULL, held_count, held_run, false, false},
    {"held", "poll", NULL, held_count, held_run, false, false},
    {"held", "wait64_blocking", NULL, held_count, held_run, false, false},
    {"held", "poll_blocking", NULL, held_count, held_run, false, false},
    {"beside", "wait64", NULL, beside_count, beside_run, false, false},
    {"beside", "poll", NULL, beside_count, beside_run, false, false},
    {"queues", "unset", NULL, queues_count, queues_run, false, false},
    {"queues", "1", "CUDA_DEVICE_MAX_CONNECTIONS=1", queues_count, queues_run, false, false},
    {"queues", "8", "CUDA_DEVICE_MAX_CONNECTIONS=8", queues_count, queues_run, false, false},
    {"queues", "32", "CUDA_DEVICE_MAX_CONNECTIONS=32", queues_count, queues_run, false, false},
    {"held", "idle", NULL, held_count, held_run, false, false},
    {"held", "no_context", NULL, held_count, held_run, false, false},
    {"held", "wait32", NULL, held_count, held_run, false, false},
    {"held", "wait64:wait64_eager", "CUDA_MODULE_LOADING=EAGER", held_count, held_run, false, false},
    {"held", "poll:poll_eager", "CUDA_MODULE_LOADING=EAGER", held_count, held_run, false, false},
    {"held", "capture_global_same", NULL, held_count, held_run, false, false},
    {"held", "capture_global_other", NULL, held_count, held_run, false, false},
    {"held", "capture_local_same", NULL, held_count, held_run, false, false},
    {"held", "capture_local_other", NULL, held_count, held_run, false, false},
    {"held", "capture_relaxed_same", NULL, held_count, held_run, false, false},
    {"held", "capture_relaxed_other", NULL, held_count, held_run, false, false},
    {"held", "capture_blocking_same", NULL, held_count, held_run, false, false},
    {"held", "capture_blocking_other", NULL, held_count, held_run, false, false},
    {"errors", "", NULL, errors_count, errors_run, true, false},
    {"latency", "", NULL, latency_count, latency_run, false, true},
};

enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

typedef struct plan {
  const char* self;
  const char* library;
  char** prefixes; /* NULL after the last */
  pthread_mutex_t printing;
  _Atomic int next;
} plan;

extern char** environ;

static int64_t now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static void print_row(plan* p, const char* row) {
  (void)pthread_mutex_lock(&p->printing);
  printf("%s\n", row);
  (void)fflush(stdout);
  (void)pthread_mutex_unlock(&p->printing);
}

static bool is_of(const char* entry, const char* name) {
  return strncmp(entry, name, strlen(name)) == 0 && entry[strlen(name)] == '=';
}

/* The environment, with a section's setting in place of those that would change what is asked. */
static char** environment(const char* setting) {
  size_t count = 0;
  while (environ[count] != NULL) {
    count++;
  }
  char** made = calloc(count + 2, sizeof *made);
  if (made == NULL) {
    exit(1);
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_of(environ[i], "CUDA_DEVICE_MAX_CONNECTIONS") && !is_of(environ[i], "CUDA_MODULE_LOADING")) {
      made[kept++] = environ[i];
    }
  }
  made[kept] = (char*)setting;
  return made;
}

/* A child, what it says, and where it has come to. */
typedef struct child {
  pid_t id;
  int from; /* the end of its output */
  int at;   /* the case; -1 before the first */
  char name[LINE];
  bool has_said; /* a row of this case */
} child;

static bool start(plan* p, const section* s, span cases, child* c) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return false;
  }
  char from[TEXT];
  char to[TEXT];
  char index[TEXT];
  (void)snprintf(from, sizeof from, "%d", cases.from);
  (void)snprintf(to, sizeof to, "%d", cases.to);
  (void)snprintf(index, sizeof index, "%d", (int)(s - SECTIONS));
  char* arguments[] = {(char*)p->self, "--section", (char*)p->library, index, from, to, NULL};
  char** settings = environment(s->setting);
  posix_spawn_file_actions_t actions;
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  int code = posix_spawn(&c->id, "/proc/self/exe", &actions, NULL, arguments, settings);
  (void)posix_spawn_file_actions_destroy(&actions);
  free(settings);
  (void)close(ends[1]);
  c->from = ends[0];
  c->at = -1;
  c->has_said = false;
  (void)snprintf(c->name, sizeof c->name, "%s.%s", s->name, s->what);
  if (code != 0) {
    (void)close(ends[0]);
  }
  return code == 0;
}

static void hear(plan* p, child* c, const char* line) {
  if (line[0] == '@') {
    c->at = atoi(line + 1);
    const char* name = strchr(line, ' ');
    (void)snprintf(c->name, sizeof c->name, "%s", name != NULL ? name + 1 : "");
    c->has_said = false;
  } else {
    c->has_said = true;
    print_row(p, line);
  }
}

/* Passes on what the child says until it ends: true; false if it says nothing for too long. */
static bool listen(plan* p, child* c) {
  char text[LINE];
  size_t length = 0;
  for (;;) {
    struct pollfd one = {c->from, POLLIN, 0};
    int ready = poll(&one, 1, c->at < 0 ? START_MS : SILENCE_MS);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    ssize_t more = ready > 0 ? read(c->from, text + length, sizeof text - 1 - length) : -1;
    if (more <= 0) {
      return more == 0;
    }
    length += (size_t)more;
    text[length] = '\0';
    char* line = text;
    for (char* end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = '\0';
      hear(p, c, line);
    }
    length -= (size_t)(line - text);
    memmove(text, line, length);
    if (length == sizeof text - 1) {
      length = 0;
    }
  }
}

/* Its status. One that cannot be ended, as the driver does not let go, is left. */
static int reap(const child* c) {
  int status = -1;
  for (int64_t from = now_ms(); now_ms() - from < REAP_MS; (void)usleep(1000)) {
    if (waitpid(c->id, &status, WNOHANG) == c->id) {
      return status;
    }
  }
  (void)kill(c->id, SIGKILL);
  return status;
}

static void say_end(plan* p, const child* c, bool in_time, int status) {
  char row[LINE + TEXT * 2];
  bool signalled = status >= 0 && WIFSIGNALED(status);
  (void)snprintf(row, sizeof row, "%s\t%s\t%s %d", c->name, !in_time ? "timeout" : status < 0 ? "lingers" : "died", signalled ? "signal" : "status",
                 signalled ? WTERMSIG(status) : status >= 0 ? WEXITSTATUS(status) : status);
  print_row(p, row);
}

static void run_section(plan* p, const section* s) {
  int count = s->count(s->what);
  for (int next = 0; next < count;) {
    child c;
    if (!start(p, s, (span){next, s->each ? next + 1 : count}, &c)) {
      return;
    }
    bool in_time = listen(p, &c);
    if (!in_time) {
      (void)kill(c.id, SIGKILL);
    }
    (void)close(c.from);
    int status = reap(&c);
    int code = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!in_time || (code != 0 && !((code == EXIT_NEXT || code == EXIT_NONE) && c.has_said))) {
      say_end(p, &c, in_time, status);
    }
    if (c.at < 0 || code == EXIT_NONE) {
      return;
    }
    next = code == 0 && in_time && !s->each ? count : c.at + 1;
  }
}

static bool is_wanted(const plan* p, const section* s) {
  char name[LINE];
  (void)snprintf(name, sizeof name, "%s.%s", s->name, s->what);
  bool wanted = *p->prefixes == NULL;
  for (char** prefix = p->prefixes; *prefix != NULL; prefix++) {
    wanted |= strncmp(name, *prefix, strlen(*prefix)) == 0;
  }
  return wanted;
}

static void* work(void* argument) {
  plan* p = argument;
  for (int i; (i = atomic_fetch_add(&p->next, 1)) < SECTION_COUNT;) {
    if (!SECTIONS[i].alone && is_wanted(p, &SECTIONS[i])) {
      run_section(p, &SECTIONS[i]);
    }
  }
  return NULL;
}

static int child_main(char** argv) {
  const section* s = &SECTIONS[atoi(argv[3])];
  s->run(argv[2], s->what, (span){atoi(argv[4]), atoi(argv[5])});
  (void)fflush(stdout);
  _exit(0); /* a driver's own exit might wait for what is held */
}

int main(int argc, char** argv) {
  if (argc == 6 && strcmp(argv[1], "--section") == 0) {
    return child_main(argv);
  }
  if (argc == 2 && strcmp(argv[1], "--ptx") == 0) {
    world_print_kernels();
    return 0;
  }
  if (argc < 2) {
    fprintf(stderr, "usage: %s LIBRARY [--jobs N] [PREFIX...]\n", argv[0]);
    return 2;
  }
  bool has_jobs = argc > 3 && strcmp(argv[2], "--jobs") == 0;
  int jobs = has_jobs ? atoi(argv[3]) : JOBS;
  plan p = {argv[0], argv[1], argv + (has_jobs ? 4 : 2), PTHREAD_MUTEX_INITIALIZER, 0};
  pthread_t threads[MOST_JOBS];
  jobs = jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs;
  for (int i = 0; i < jobs; i++) {
    if (pthread_create(&threads[i], NULL, work, &p) != 0) {
      return 1;
    }
  }
  for (int i = 0; i < jobs; i++) {
    (void)pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < SECTION_COUNT; i++) {
    if (SECTIONS[i].alone && is_wanted(&p, &SECTIONS[i])) {
      run_section(&p, &SECTIONS[i]);
    }
  }
  return 0;
}
