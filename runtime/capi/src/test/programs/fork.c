/* SPDX-License-Identifier: Apache-2.0 */
/* A forked child is refused at once, whatever it calls; its parent goes on. One rank. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static tombolo_comm comm;
static float vector[4] = {1, 2, 3, 4};

static void* call_in(void* ignored) {
  (void)ignored;
  FAILS(TOMBOLO_FORKED, "forked",
        tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, NULL));
  return NULL;
}

static int child(tombolo_work ended) {
  tombolo_comm other;
  tombolo_id id;
  int is_ended;
  pthread_t thread;
  (void)alarm(20);
  (void)call_in(NULL);
  FAILS(TOMBOLO_FORKED, "spawn", tombolo_comm_init(NULL, &other));
  FAILS(TOMBOLO_FORKED, "forked", tombolo_make_id(NULL, &id));
  FAILS(TOMBOLO_FORKED, "forked", tombolo_start(NULL));
  FAILS(TOMBOLO_FORKED, "forked", tombolo_release(ended));
  OK(tombolo_test(ended, &is_ended));
  REQUIRE(is_ended, "what had ended before the fork");
  REQUIRE(pthread_create(&thread, NULL, call_in, NULL) == 0, "a thread of the child");
  (void)pthread_join(thread, NULL);
  OK(tombolo_finalize());
  return 0;
}

static void require_well(pid_t process) {
  int status;
  REQUIRE(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
          status);
}

static void* start(void* ignored) {
  (void)ignored;
  OK(tombolo_start(NULL));
  return NULL;
}

static int threads(void) {
  DIR* folder = opendir("/proc/self/task");
  REQUIRE(folder != NULL, "the list of threads");
  int count = -2; /* . and .. */
  while (readdir(folder) != NULL) {
    count++;
  }
  (void)closedir(folder);
  return count;
}

/* Forks while another thread starts the JVM: from the third on, threads are the JVM's. */
static void fork_meanwhile(void) {
  pthread_t starter;
  REQUIRE(pthread_create(&starter, NULL, start, NULL) == 0, "a thread");
  while (threads() < 3) {
    (void)sched_yield();
  }
  pid_t process = fork();
  if (process == 0) {
    (void)alarm(20);
    FAILS(TOMBOLO_FORKED, "forked", tombolo_start(NULL));
    _exit(0);
  }
  require_well(process);
  (void)pthread_join(starter, NULL);
}

int main(void) {
  tombolo_work work;
  fork_meanwhile();
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  pid_t process = fork();
  if (process == 0) {
    exit(child(work));
  }
  require_well(process);
  process = fork();
  if (process == 0) {
    (void)execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  require_well(process);
  OK(tombolo_release(work));
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_finalize());
  (void)printf("the parent went on\n");
  return 0;
}
