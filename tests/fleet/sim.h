/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h -- deterministic simulation of opexport: one seed decides the time, the server, the disk, the
 * network, the intervals and all faults.
 *
 * world.c has the clock and the events, disk.c the cursor's disk and the crashes, intervals.c the
 * daemon's store, server.c the tables of the server, http.c the network. They replace fleet/http.c
 * and calls of the C library; all other code is that of opexport. check.c decides whether the tables
 * are right. A process simulates one seed only.
 */
#ifndef TESTS_FLEET_SIM_H
#define TESTS_FLEET_SIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/http.h"
#include "intervals/store.h"
#include "pp/base/log.h"

/* The original intervals: slots of ten minutes, of which every sixth begins as two parts. */
#define SIM_BEGIN	1699998000	/* 2023-11-14 21:40 UTC, before the clocks of all machines */
#define SIM_SLOT	600
#define SIM_SLOTS	24
#define SIM_FIRST_HOUR	2	/* number of slots before the first full hour */
#define SIM_HOURS	3
#define SIM_HOST	"web"
#define SIM_MACHINE	"00112233445566778899aabbccddeeff"
#define SIM_OTHER	"ffeeddccbbaa99887766554433221100"
#define SIM_DATABASE	"fleet"
#define SIM_MINUTE	60000u	/* in ms */
#define SIM_HOUR	3600000u
/* time without faults at the end: two parts of an interval may be merged for an hour */
#define SIM_LAST_MS	(2 * SIM_HOUR)

/* An atom is an interval as the daemon closes it. All files of the store consist of atoms. */
#define SIM_ATOMS	(SIM_SLOTS + SIM_SLOTS / 6)

struct sim_file {
	struct itv_entry entry;
	char name[ITV_NAME_SIZE];	/* without suffix, as in table sessions */
	uint64_t sum;			/* number of samples, counted when the file was made */
	uint64_t atoms;			/* set of atoms, bit i is atom i */
};

/* All files that the daemon can make: atoms first, then slots of two parts, then hours. */
#define SIM_FILES	(SIM_ATOMS + SIM_SLOTS / 6 + SIM_HOURS)

struct sim_pool {
	char dir[64];
	struct sim_file files[SIM_FILES];
	size_t nr;
};

enum sim_fault {
	SIM_NO_FAULT,
	SIM_REFUSED,		/* no connection */
	SIM_CUT_BEFORE,		/* the connection breaks before the request arrives */
	SIM_CUT_AFTER,		/* the server answers, but the answer is lost */
	SIM_ERROR_BEFORE,	/* an exception, and the request has no effect */
	SIM_ERROR_AFTER,	/* an exception after the request had its effect */
	SIM_PAGE,		/* a page of a proxy */
	SIM_PAGE_AFTER,		/* a page of a proxy, and the request has its effect */
	SIM_SLOW,		/* the server runs an INSERT longer than the client waits */
	SIM_LATE,		/* the network delivers the request after the client gave up */
	SIM_REPEATED,		/* the network delivers the request twice */
	SIM_AUTH,		/* wrong password */
	SIM_SERVER_FULL,	/* the server's disk is full */
	SIM_NR_NETWORK,
	SIM_DISK_FULL = SIM_NR_NETWORK,	/* the disk of the cursor is full */
	SIM_DISK_BROKEN,	/* its writes and renames fail */
	SIM_NR_FAULTS
};

/* A time in which a part of the requests, or of the disk's calls, fails. */
struct sim_window {
	uint64_t from_ms, to_ms;
	enum sim_fault fault;
	unsigned int percent;
};

enum sim_action {
	SIM_ADD,		/* the daemon closes an interval: file .number */
	SIM_JOIN,		/* the daemon replaces parts by file .number */
	SIM_REMOVE,		/* the daemon removes the oldest .number files */
	SIM_STOP,		/* SIGTERM */
	SIM_KILL,		/* SIGKILL, or power off */
	SIM_CLOCK,		/* the host's clock is .number seconds off */
	SIM_LOSE_CURSOR,
	SIM_DROP_TABLES,	/* and .number seconds later they are made again */
	SIM_MAKE_TABLES,
	SIM_NEWER_TABLES,	/* tables of another version; .number: 0 ends this */
	SIM_RESTART_SERVER,	/* running queries end without an effect */
	SIM_EXPIRE,		/* the server removes the rows of the first day */
	SIM_OTHER_MACHINE,	/* another machine sends under the name of this host */
};

struct sim_event {
	uint64_t at_ms;
	enum sim_action action;
	int64_t number;
};

#define SIM_WINDOWS	12
#define SIM_EVENTS	200

struct sim_row {
	int64_t t;
	uint64_t host, service, event, stack;	/* hashes of the texts; id of the stack */
	uint32_t count;
	uint32_t nr_frames;	/* of table stacks */
};

struct sim_gap {
	int64_t from, to;
	char reason[80];
};

struct sim_session {
	int64_t t, end;
	uint64_t host, samples, sent;
	uint32_t nr_rows;
	char machine[40], name[ITV_NAME_SIZE];
	struct sim_gap *gaps;
	size_t nr_gaps;
};

/* An INSERT that the server runs, or that the network still has. */
struct sim_pending {
	uint64_t at_ms;		/* time at which it has its effect */
	bool is_running;	/* the server has it: system.processes has a row */
	unsigned int table;
	char id[300];
	uint8_t *body;
	size_t len;
};

struct sim_server {
	bool has_tokens;	/* a current version; otherwise 18.16 */
	bool has_tables, is_newer;
	struct sim_row *samples, *stacks;
	size_t nr_samples, nr_stacks;
	struct sim_session *sessions;
	size_t nr_sessions;
	/* hashes of the tokens of the table's INSERTs */
	struct { uint64_t *tokens; size_t nr; } seen[3];
	struct sim_pending *pending;
	size_t nr_pending;
	/* atoms that were complete when their rows were removed */
	uint64_t removed;
	bool was_dropped;
	int64_t expired_before;	/* the server has removed rows of earlier times; 0: none */
};

struct sim {
	const struct sim_pool *pool;
	uint64_t seed, random;
	bool traces;
	uint64_t now_ms, calm_ms, end_ms;	/* since the begin of the simulation */
	int64_t clock_off;	/* seconds by which the host's clock is off */
	struct sim_window windows[SIM_WINDOWS];
	size_t nr_windows;
	struct sim_event events[SIM_EVENTS];
	size_t nr_events, next_event;
	unsigned int crash_permille;	/* of requests and of calls that change files */
	bool merges;		/* the daemon merges hours in this seed */
	struct sim_server server;
	/* the store: bits of the pool's files; sets of atoms */
	uint64_t files;
	uint64_t closed, deleted, late;
	char dir[96], cursor[128], store[128];
	bool is_alive;		/* opexport runs */
	sigjmp_buf killed;
	const volatile int *stop;
	struct fleet_http *http;
	uint64_t nr_requests, nr_faults, nr_crashes, nr_lives;
	/* messages of this process of opexport: hash of the text, and the time of the last one */
	struct { uint64_t hash, at_ms; } said[64];
	size_t nr_said;
	uint64_t failure_ms;
	char wrong[600];	/* first breach of a rule; "": none */
};

/* The simulation of this process; the replaced functions of the C library have no argument for it. */
extern struct sim *sim;

/* Return a number from 0 to @limit - 1. */
uint32_t sim_below(uint32_t limit);
bool sim_percent(unsigned int percent);
/* Print a line of the trace, and note a breach of a rule. */
void sim_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sim_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Move the clock, and let the events of this time happen. Does not return if one ends opexport. */
void sim_advance(uint64_t ms);
/* Return the fault of a request or of a call on the disk; SIM_NO_FAULT: none. */
enum sim_fault sim_choose_fault(bool is_disk);
/* End opexport here, with the chance of this seed. */
void sim_maybe_crash(const char *where);
/* Return the time of the host's clock, and of the server's, in seconds since 1970. */
int64_t sim_host_time(void);
int64_t sim_server_time(void);
struct pp_log *sim_log(void);
/* Decide all of the seed's windows and events. */
void sim_plan(void);

/* Close the open files of the process that ended. @is_power_off: the file of the cursor also loses
 * the data for which fsync() was not called; it is empty or has its old contents. */
void sim_disk_kill(bool is_power_off);

/* Make the files of the pool in the directory @dir. */
void sim_pool_make(struct sim_pool *pool, const char *dir);
void sim_store_make(const char *dir);
void sim_store_add(size_t file);
void sim_store_join(size_t file);
void sim_store_remove(size_t nr);

/* Apply an INSERT with the body @body, compressed by gzip. Return an exception's text, or NULL. */
const char *sim_server_insert(unsigned int table, const char *id, const uint8_t *body, size_t len);
/* Return the answer to a query, or NULL with the exception's text in @ret. */
char *sim_server_query(const char *sql, const char **ret);
void sim_server_turn(void);	/* apply the pending INSERTs whose time has come */
void sim_server_drop(void);
void sim_server_expire(void);
void sim_server_other_machine(void);
void sim_server_restart(void);

/* Compare the tables with the store at the end of a seed. */
void sim_check(void);
/* Return the set of atoms that the tables have as complete. */
uint64_t sim_complete_atoms(void);

/* Simulate the seed, with its files below @dir. Return whether all rules held. */
bool sim_run(const struct sim_pool *pool, uint64_t seed, const char *dir, bool traces);

#endif
