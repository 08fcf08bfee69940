/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoch.h -- which modules the process has at a time, and how stacks are walked in them.
 *
 * An epoch never changes and stays until the process ends, so that handlers read it without a lock. Another one begins when
 * a sample has a frame where the loader knows another module than the epoch, or none: it is asked, which takes no lock,
 * for every frame. So any way in which a module comes and goes is the same way, the C library's own too, and epochs begin
 * only as samples need them.
 *
 * Metrics that come or go begin one as well: the trees of an epoch have columns of their own.
 *
 * A module may go while a handler reads its tables: that faults, and crash.h lets the handler escape.
 */
#ifndef PROBE_EPOCH_H
#define PROBE_EPOCH_H

#include <stdbool.h>

#include "libcfi/cfi.h"
#include "probe/arena.h"
#include "probe/named.h"

struct epoch_module {
	uint64_t start, end;
	uint64_t code, code_end;	/* the last of its segments with code: between segments there may be nothing */
	struct cfi_section cfi;		/* .data NULL: it has none that can be used */
	const void *index;		/* .eh_frame_hdr, whether it can be used or not; NULL: none */
	uint64_t loaded_at;		/* what the loader adds to addresses in the file */
	uint64_t moved;			/* distance of a second mapping from the mapping that .cfi describes; else 0 */
	uint64_t name;			/* the sum of a name that is no whole path; 0: the record has the name */
	uint32_t record;
	bool late;			/* it came after the first epoch */
	bool stays;			/* nothing ever comes in its place: the program itself, what the kernel has mapped */
	const struct raw_live_module *known;	/* that record */
	const unsigned char *build_id;	/* where it is loaded; NULL: it has none */
};

struct epoch {
	struct epoch *older;
	uint32_t number;
	uint32_t nr;
	uint64_t columns;		/* of its trees' nodes, as struct raw_live_tree has it */
	struct epoch_module modules[];	/* by address */
};

struct epochs {
	struct epoch *now;		/* atomic */
	struct epoch *newest;
	uint64_t columns;		/* of epochs that begin from now on; atomic */
	struct arena *arena;		/* of the process; under .lock, with the run in it */
	const struct named *named;	/* what is to be found in modules; NULL: nothing is */
	uint32_t run;			/* struct raw_live_run */
	uint32_t records;		/* all modules that there ever were, the newest first */
	struct epoch *making;		/* what was not finished */
	size_t making_size;
	uint32_t lock;			/* atomic: the thread that has it, 0: none. A handler only tries */
};

/* The first epoch: all that is loaded. In modules @named is looked for as they come. 0, -ENOMEM. */
int epochs_init(struct epochs *epochs, struct arena *arena, uint32_t run, uint64_t columns, const struct named *named);

/* Whether the epoch that holds has the columns that were asked for last. */
static inline bool epochs_has_columns(const struct epochs *epochs, const struct epoch *epoch)
{
	return epoch->columns == __atomic_load_n(&epochs->columns, __ATOMIC_ACQUIRE);
}

struct epoch_found {
	const struct epoch_module *module;	/* NULL: none */
	uint64_t start, size;		/* where the same is to be found: a moment later too, as nobody comes to code of a module that has gone */
};

/* Whether @epoch has at @pc what the loader has there. For handlers. */
bool epoch_holds(const struct epoch *epoch, uint64_t pc, struct epoch_found *found);

/* Make an epoch current that has the loader's module at @pc (unless @pc is 0), or a module's second
 * mapping there, and the columns requested last. May be called in handlers of the thread @tid.
 * Return 0; -EBUSY if another thread is making an epoch; -ENOENT if no module is at @pc; or
 * -ENOMEM. */
int epochs_learn(struct epochs *epochs, uint64_t pc, uint32_t tid);

/* Wait until epochs have a column for @metric, because a call must not be lost while another thread makes an epoch.
 * Give up without memory, or after a while. */
void epochs_wait_for_column(struct epochs *epochs, uint32_t metric, uint32_t tid);

/* The thread @tid has faulted, maybe in epochs_learn(). */
void epochs_escaped(struct epochs *epochs, uint32_t tid);

/* NULL: it is in no module. */
const struct epoch_module *epoch_find(const struct epoch *epoch, uint64_t pc);

#endif
