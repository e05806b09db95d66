/* SPDX-License-Identifier: Apache-2.0 */
/* Starts Java for a rank of four, so many of which are on this host, with a setting. Gets no further. */
#include "program.h"

int main(int count, char** arguments) {
  REQUIRE(count == 3, "give the number of ranks here, and a setting");
  const char* const settings[] = {"fabrics=shm", arguments[2]};
  tombolo_id id;
  memset(&id, 'x', sizeof id);
  id.text[sizeof id.text - 1] = 0;
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  config.rank = 0;
  config.ranks = 4;
  config.local_ranks = (int32_t)strtol(arguments[1], NULL, 10);
  config.vendor = "host";
  config.id = &id;
  config.settings = settings;
  config.setting_count = 2;
  tombolo_comm comm;
  FAILS(TOMBOLO_USAGE, "tombolo_make_id", tombolo_comm_init(&config, &comm));
  return 0;
}
