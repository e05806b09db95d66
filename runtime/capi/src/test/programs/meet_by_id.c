/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes that share nothing but a folder meet as NCCL's do: rank 0 makes an id, and hands its bytes to the other. */
#include <unistd.h>

#include "program.h"

enum { PATH_BYTES = 1024, LOOKS = 60 * 100 };

static void hand_over(const char* path, const tombolo_id* id) {
  char unfinished[PATH_BYTES + 8];
  (void)snprintf(unfinished, sizeof unfinished, "%s.new", path);
  FILE* file = fopen(unfinished, "wb");
  REQUIRE(file != NULL, "%s", unfinished);
  REQUIRE(fwrite(id, sizeof *id, 1, file) == 1 && fclose(file) == 0, "writing");
  REQUIRE(rename(unfinished, path) == 0, "all at once");
}

static void take(const char* path, tombolo_id* id) {
  FILE* file = NULL;
  for (int i = 0; i < LOOKS && (file = fopen(path, "rb")) == NULL; i++) {
    (void)usleep(10000); /* fixed time: between two looks */
  }
  REQUIRE(file != NULL, "rank 0's id after a minute");
  REQUIRE(fread(id, sizeof *id, 1, file) == 1 && fclose(file) == 0, "reading");
}

int main(int count, char** arguments) {
  REQUIRE(count == 3, "a folder and the rank");
  char path[PATH_BYTES];
  (void)snprintf(path, sizeof path, "%s/id", arguments[1]);
  tombolo_id id;
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  config.rank = atoi(arguments[2]);
  config.ranks = 2;
  config.local_rank = config.rank;
  config.vendor = "host";
  config.timeout_ms = 60000;
  config.id = &id;
  if (config.rank == 0) {
    OK(tombolo_make_id(NULL, &id));
    hand_over(path, &id);
  } else {
    take(path, &id);
  }
  tombolo_comm comm;
  OK(tombolo_comm_init(&config, &comm));
  float sum = (float)(1 + config.rank);
  tombolo_work work;
  OK(tombolo_all_reduce(comm, &sum, &sum, 1, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
  REQUIRE(sum == 3, "%f", sum);
  OK(tombolo_comm_destroy(comm));
  return 0;
}
