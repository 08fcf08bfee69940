/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoch.h -- the modules that the process has at a time, with their tables for walking stacks.
 *
 * An epoch never changes and stays until the process ends, so handlers read it without a lock. For
 * every frame, a sample asks the loader, which takes no lock, for the module there. A new epoch
 * begins when the loader's answer differs from the epoch's. So all ways of loading and unloading a
 * module, the C library's own included, are handled alike, and epochs begin only when a sample
 * needs one.
 *
 * A new epoch also begins when metrics are added or removed, because the trees of an epoch have a
 * fixed set of columns.
 *
 * A module may be unloaded while a handler reads its tables. That read faults, and crash.h lets the
 * handler escape.
 */
#ifndef PROBE_EPOCH_H
#define PROBE_EPOCH_H

#include <stdbool.h>

#include "libcfi/cfi.h"
#include "probe/arena.h"
#include "probe/named.h"

struct epoch_module {
	uint64_t start, end;
	/* the last of its segments with code: there may be gaps between segments */
	uint64_t code, code_end;
	struct cfi_section cfi;		/* .data NULL: no usable section */
	const void *index;		/* .eh_frame_hdr, even if unusable; NULL: none */
	/* the loader's offset, which it adds to the file's addresses */
	uint64_t loaded_at;
	/* distance of a second mapping from the mapping that .cfi describes; else 0 */
	uint64_t moved;
	uint64_t name;			/* hash of a relative name; 0: the record has the name */
	uint32_t record;
	bool late;			/* loaded after the first epoch */
	/* never unloaded: the program itself, or a mapping of the kernel's */
	bool stays;
	const struct raw_live_module *known;	/* the record of the module */
	const unsigned char *build_id;	/* address of the loaded build-id; NULL: none */
};

struct epoch {
	struct epoch *older;
	uint32_t number;
	uint32_t nr;
	/* set of columns of its trees' nodes, as in struct raw_live_tree */
	uint64_t columns;
	struct epoch_module modules[];	/* sorted by address */
};

struct epochs {
	struct epoch *now;		/* atomic */
	struct epoch *newest;
	uint64_t columns;		/* set of columns of future epochs; atomic */
	/* of the process; protected by .lock, and so is the run in it */
	struct arena *arena;
	const struct named *named;	/* functions to find in modules; NULL: none */
	uint32_t run;			/* struct raw_live_run */
	uint32_t records;		/* all modules ever recorded, the newest first */
	struct epoch *making;		/* unfinished epoch */
	size_t making_size;
	/* atomic: the thread that owns the lock, 0: free. A handler only tries */
	uint32_t lock;
};

/* Make the first epoch, of all loaded modules. Search modules for the functions of @named as they
 * are loaded. Return 0 or -ENOMEM. */
int epochs_init(struct epochs *epochs, struct arena *arena, uint32_t run, uint64_t columns,
		const struct named *named);

/* Return whether @epoch has the set of columns that was requested last. */
static inline bool epochs_has_columns(const struct epochs *epochs, const struct epoch *epoch)
{
	return epoch->columns == __atomic_load_n(&epochs->columns, __ATOMIC_ACQUIRE);
}

struct epoch_found {
	const struct epoch_module *module;	/* NULL: none */
	/* the range with the same answer. It remains valid for a while, because no thread executes
	 * code of an unloaded module */
	uint64_t start, size;
};

/* Return whether @epoch and the loader have the same module at @pc. For handlers. */
bool epoch_holds(const struct epoch *epoch, uint64_t pc, struct epoch_found *found);

/* Make an epoch current that has the loader's module at @pc (unless @pc is 0), or a module's second
 * mapping there, and the columns requested last. May be called in handlers of the thread @tid.
 * Return 0; -EBUSY if another thread is making an epoch; -ENOENT if no module is at @pc; or
 * -ENOMEM. */
int epochs_learn(struct epochs *epochs, uint64_t pc, uint32_t tid);

/* Wait until epochs have a column for @metric, because a call must not be lost while another
 * thread makes an epoch. Give up without memory, or after a while. */
void epochs_wait_for_column(struct epochs *epochs, uint32_t metric, uint32_t tid);

/* Clean up after a fault of thread @tid, which may have been in epochs_learn(). */
void epochs_escaped(struct epochs *epochs, uint32_t tid);

/* Return the module at @pc, or NULL. */
const struct epoch_module *epoch_find(const struct epoch *epoch, uint64_t pc);

#endif
