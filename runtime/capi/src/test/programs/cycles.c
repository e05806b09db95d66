/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators come and go, and leave nothing: no descriptor, no thread. One rank; argument: how many. */
#include <dirent.h>
#include <time.h>

#include "program.h"

enum { WARM_UP = 10, THREADS_OF_JAVA = 3 }; /* Java starts and ends some of its own as it likes */
enum { LOOKS = 1000 };                      /* within ten seconds */

static int entries(const char* folder) {
  DIR* directory = opendir(folder);
  REQUIRE(directory != NULL, "%s", folder);
  int count = 0;
  while (readdir(directory) != NULL) {
    count++;
  }
  (void)closedir(directory);
  return count;
}

/* How many there are once that is no more than `most`, or after ten seconds: a thread that was told to end may do so later. */
static int settled(const char* folder, int most) {
  for (int look = 0; entries(folder) > most && look < LOOKS; look++) {
    (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  return entries(folder);
}

static void cycle(int number) {
  tombolo_id id;
  tombolo_comm comm;
  tombolo_comm part;
  tombolo_work work;
  float vector[4] = {1, 2, 3, 4};
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  OK(tombolo_make_id(NULL, &id));
  config.rank = 0;
  config.ranks = 1;
  config.vendor = "host";
  config.id = &id;
  OK(tombolo_comm_init(&config, &comm));
  OK(tombolo_comm_split(comm, 0, 0, &part));
  OK(tombolo_all_reduce(part, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  if (number % 3 == 0) {
    OK(tombolo_finalize()); /* of what is forgotten */
    OK(tombolo_release(work));
    return;
  }
  OK(tombolo_release(work));
  OK(tombolo_comm_destroy(part));
  OK(tombolo_comm_destroy(comm));
}

int main(int count, char** arguments) {
  int descriptors = 0;
  int threads = 0;
  int cycles = count > 1 ? atoi(arguments[1]) : 30;
  for (int i = 0; i < cycles + WARM_UP; i++) {
    cycle(i);
    if (i == WARM_UP) {
      descriptors = entries("/proc/self/fd");
      threads = entries("/proc/self/task");
    }
  }
  int after = settled("/proc/self/fd", descriptors);
  REQUIRE(after <= descriptors, "%d descriptors, and %d before", after, descriptors);
  after = settled("/proc/self/task", threads + THREADS_OF_JAVA);
  REQUIRE(after <= threads + THREADS_OF_JAVA, "%d threads, and %d before", after, threads);
  (void)printf("%d descriptors, %d threads, before and after %d cycles\n", descriptors, threads, cycles);
  return 0;
}
