/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoch.h -- epochs: sets of modules (executables and libraries) that were loaded at the same time,
 * with the tables to unwind their frames.
 *
 * An epoch is immutable and never freed, so signal handlers read it without a lock. For every
 * frame, a stack walk queries the dynamic loader for the module at the frame's address, by the
 * lock-free _dl_find_object(). If the answer differs from the current epoch, the walk creates a new
 * epoch. So dlopen(), dlclose() and modules that the C library loads need no hooks, and an epoch is
 * created only when a sample needs it. Adding or removing metrics also creates an epoch, because
 * the nodes of all call-path trees of an epoch have counts for the same metrics.
 *
 * A module may be unloaded while a signal handler reads its tables. The read then faults, and the
 * handler abandons the sample through state_escape().
 */
#ifndef PROBE_CORE_EPOCH_H
#define PROBE_CORE_EPOCH_H

#include <link.h>
#include <stdbool.h>

#include "libcfi/cfi.h"
#include "probe/core/arena.h"
#include "probe/core/named.h"

struct epoch_module {
	uint64_t start, end;
	/* address range of the module's last executable segment; there may be gaps between
	 * segments */
	uint64_t code, code_end;
	/* section .eh_frame of the module; .data NULL: the section cannot be used */
	struct cfi_section cfi;
	/* section .eh_frame_hdr of the module, even if the stack walk cannot use it; NULL: the file
	 * has no such section */
	const void *index;
	/* load bias: the difference between loaded addresses and addresses in the file */
	uint64_t loaded_at;
	/* for a second mapping of a module: its distance from the first mapping, because .cfi has
	 * the addresses of the first mapping; 0: this is the first mapping */
	uint64_t moved;
	/* hash of the module's name, if the name is a relative path; 0: .known contains the name */
	uint64_t name;
	uint32_t record;
	/* the module was loaded after the first epoch was created */
	bool late;
	/* the module is never unloaded: it is the program itself, the vDSO, or a second mapping */
	bool stays;
	const struct raw_live_module *known;	/* record of the module in the .csp.live file */
	/* address of the module's build-id in memory; NULL: no build-id */
	const unsigned char *build_id;
};

struct epoch {
	struct epoch *older;
	uint32_t number;
	uint32_t nr;
	/* mask of the metrics for which nodes of this epoch's trees have a count, as in struct
	 * raw_live_tree */
	uint64_t columns;
	struct epoch_module modules[];	/* modules of the epoch, in ascending order of address */
};

/* Called for each module that is loaded after the first epoch was created; may be called in
 * signal handlers. @base: load bias. */
typedef void (*epoch_module_fn)(uint64_t base, const ElfW(Phdr) *headers, size_t nr);

struct epochs {
	struct epoch *now;		/* the current epoch; atomic */
	struct epoch *newest;
	/* mask of the metrics for which nodes of new epochs have a count; atomic */
	uint64_t columns;
	/* the arena with the data that describes the process; .lock protects the arena, and the
	 * struct raw_live_run in it */
	struct arena *arena;
	const struct named *named;	/* names of unsafe functions to search for in modules;
					 * NULL: no names */
	epoch_module_fn module_loaded;
	uint32_t run;			/* reference to the struct raw_live_run of the process */
	/* list of the modules' records in the .csp.live file, newest first */
	uint32_t records;
	struct epoch *making;	/* epoch that is being created and is not published yet, or NULL */
	size_t making_size;
	/* id of the thread that holds the lock; 0: unlocked; atomic. Signal handlers only try to
	 * lock */
	uint32_t lock;
};

/* Create the first epoch, with all loaded modules. Search each new module for the unsafe functions
 * in @named. Call @module_loaded for each module that is loaded later. Return 0 or -ENOMEM. */
int epochs_init(struct epochs *epochs, struct arena *arena, uint32_t run, uint64_t columns,
		const struct named *named, epoch_module_fn module_loaded);

/* Return whether nodes of @epoch have counts for the same metrics as nodes of new epochs. */
static inline bool epochs_has_columns(const struct epochs *epochs, const struct epoch *epoch)
{
	return epoch->columns == __atomic_load_n(&epochs->columns, __ATOMIC_ACQUIRE);
}

struct epoch_found {
	const struct epoch_module *module;	/* the module; NULL: no module is at the address */
	/* range of addresses with the same answer. A walk may cache the answer, because the module
	 * of a frame cannot be unloaded while the frame exists */
	uint64_t start, size;
};

/* Return whether @epoch and the dynamic loader have the same module at @pc. Store this module in
 * *@found. May be called in signal handlers. */
bool epoch_holds(const struct epoch *epoch, uint64_t pc, struct epoch_found *found);

/*
 * Publish a new epoch, whose nodes have counts for all current metrics. Unless @pc is 0, the new
 * epoch contains the module, or the second mapping of a module, that is now at @pc. May be called
 * in signal handlers. @tid: id of the calling thread. Return 0; -EBUSY if another thread is
 * creating an epoch; -ENOENT if no module is at @pc; or -ENOMEM.
 */
int epochs_learn(struct epochs *epochs, uint64_t pc, uint32_t tid);

/* Wait until the call-path trees have a count for @metric. Otherwise calls could be lost while
 * another thread creates the necessary epoch. Give up if memory is short, or after many
 * attempts. */
void epochs_wait_for_column(struct epochs *epochs, uint32_t metric, uint32_t tid);

/* Release the lock of @epochs if thread @tid holds it. Called after a fault of that thread in
 * epochs_learn(). */
void epochs_escaped(struct epochs *epochs, uint32_t tid);

/* Return the module of @epoch at @pc, or NULL. */
const struct epoch_module *epoch_find(const struct epoch *epoch, uint64_t pc);

#endif
