// SPDX-License-Identifier: Apache-2.0
/*
 * Who uses a communicator, and whether it still is: ncclCommAbort "frees resources that are allocated to the communicator"
 * (nccl.h), whoever is in a call on it (issue 992 of NCCL: "not thread-safe" with other calls before 2.19). What a real
 * library would crash at is reported, and refused.
 */
#ifndef CCL_ALIVE_H
#define CCL_ALIVE_H

#include "engine.h"

/* A collective that waits for others comes back from an abort; a question does not expect one. */
typedef enum emu_use { EMU_COLLECTIVE, EMU_QUESTION } emu_use;

/* Begins a call on `comm`; false, after a report, if it was freed. */
bool emu_comm_enter(const struct engine_comm* comm, emu_use use);
void emu_comm_leave(const struct engine_comm* comm, emu_use use);

/* There is a new communicator at that address. */
void emu_comm_born(const struct engine_comm* comm);

/* From now on it is freed. Reports who asks it something now; false, after a report, if it was freed before. */
bool emu_comm_free(const struct engine_comm* comm, const char* call);

/* A question may take its time: TOMBOLO_EMU_SLOW_QUESTION_US microseconds (0), so that others come into the way of it. */
void emu_comm_think(void);

/* Aborts it; returns when nobody is inside any more. */
void emu_comm_abort(struct engine_comm* comm);

#endif
