/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown.h -- rules for code without rows, from the rules of the places where the code is left.
 *
 * Made code that is called returns by a `ret`. Made code that an interpreter's function enters by a
 * jump runs on that function's frame, and jumps back to it. exits.h finds these exits. First
 * cfi_shown_find() reads the code at a place, which needs no stack. Then cfi_shown_rule() checks
 * the result with the words of a stack. x86_64 only. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_SHOWN_H
#define LIBCFI_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "libcfi/exits.h"
#include "module/uapi/unwind.h"
#include "module/uapi/unwind_walk.h"

/* The code at an address. */
struct cfi_target {
	bool is_made;  /* made at run time */
	bool is_exact; /* the unwind table has rows for the function's first instructions */
	bool has_rule;
	struct oprofile_uw_rule rule; /* the unwind rule at the address */
	__u64 begin; /* start of its function, or of the mapping of made code; 0: unknown */
	__u64 end;   /* end of the mapping of made code */
};

enum cfi_shows {
	CFI_SHOWS_NOTHING,
	CFI_SHOWS_RULE, /* the frame has the rule .rule */
	/* The code runs on the frame of function .entered, whose size is unknown: at most .most
	 * bytes. */
	CFI_SHOWS_FUNCTION,
	/* The code jumps to other code of the mapping .entered, and the stack pointer is .jump.sp
	 * bytes further there. struct cfi_returned has the frames of that mapping. */
	CFI_SHOWS_JUMP,
};

/* The frame that the code at a place shows. */
struct cfi_shown {
	__u8 shows;	/* enum cfi_shows */
	__u8 nr_exits;	/* number of exits that were found with a rule */
	bool is_return; /* the code that has the rule returns by a `ret` */
	/* Set by the caller: the pc is a return address that no call made. Either code pushed it,
	 * or a wrong walk took another word for a return address. The rule is valid only if it
	 * leads to a return address that a call made. */
	bool is_pushed;
	bool is_sure;	/* up to a `ret`, the instructions only remove values from the stack */
	bool is_strict; /* valid only if a direct call of .entered precedes the return address */
	/* The exits jump to addresses in registers or in memory, and other code of the mapping
	 * leaves for .entered. The frame of that function begins .body bytes from the stack
	 * pointer. */
	bool is_guess;
	__s32 body;
	__s32 most; /* in bytes */
	struct oprofile_uw_rule rule;
	__u64 entered; /* cfi_target.begin of the function that was called */
	struct cfi_exit jump;
};

#define CFI_RETURNED 4

/* The frames of made code of a mapping that returns to code in files. Zeroed by the caller, as
 * often as it wants frames to be found anew. */
struct cfi_returned {
	unsigned int nr;
	struct {
		__u64 to; /* the return address */
		struct oprofile_uw_rule rule;
	} frames[CFI_RETURNED];
};

/* The function on whose frame the made code of a mapping runs. Zeroed before the first scan. */
struct cfi_entered {
	bool is_found;
	bool differs;  /* there are several such functions, or frames */
	bool read_all; /* Set by the caller: all code of the mapping was scanned. */
	__s32 pushed;  /* sum of all distances by which the code moves the stack pointer down */
	struct cfi_shown shown; /* the rule is that of the function's body */
};

/* Look up the code at @address. Return 0, or enum oprofile_uw_end if that is not possible yet. */
typedef int (*cfi_target_fn)(void *data, __u64 address, struct cfi_target *ret);

struct cfi_shown_ops {
	/* Copy at most @size bytes of code at @address. Return the number of bytes. */
	size_t (*code)(void *data, __u64 address, unsigned char *to, size_t size);
	cfi_target_fn target;
	/* Return the result of the scan of a mapping of made code, or NULL if it is unknown. */
	const struct cfi_entered *(*entered)(void *data, const struct cfi_target *mapping);
};

/* Find the frame that the code at @pc shows, with the rule for the stack pointer at @pc. Return 0,
 * or enum oprofile_uw_end if the code leads to code that is not known yet. */
int cfi_shown_find(__u64 pc, const struct cfi_shown_ops *ops, void *data, struct cfi_shown *ret);

/* Return whether the function that begins at @begin ends in a jump to an address in a register or
 * in memory, with its frame removed: the code there returns to the function's caller. */
bool cfi_leaves_by_jump(__u64 begin, const struct cfi_shown_ops *ops, void *data);

/* Search the @size bytes of made code that lie at @address, copied to @code, for jumps to functions
 * with rows. @may_work says whether there is time for one more lookup of a target. Return false if
 * there was no time for all bytes. */
bool cfi_entered_scan(struct cfi_entered *e, const unsigned char *code, __u64 address, size_t size,
		      cfi_target_fn target, bool (*may_work)(void *data, unsigned int amount),
		      void *data);

struct cfi_shown_stack_ops {
	cfi_target_fn target;
	/* As struct oprofile_uw_ops. */
	int (*word)(void *data, __u64 address, unsigned int size, __u64 *value);
	int (*known_call)(void *data, __u64 word);
	/* Return the target of the direct call that ends at @pc; 0: it is another instruction, or
	 * cannot be read. @again: the code may have been replaced since it was read. */
	__u64 (*called)(void *data, __u64 pc, bool again);
	/* Return whether there is time to look at @amount words. */
	bool (*may_work)(void *data, unsigned int amount);
	/* Return whether made code lies at @address, without a slow lookup. */
	bool (*is_made)(void *data, __u64 address);
	/* Return the frames of the mapping of made code that begins at @mapping, which
	 * cfi_shown_rule() reads and extends. NULL: nothing is kept of this mapping. This member
	 * may be NULL. */
	struct cfi_returned *(*returned)(void *data, __u64 mapping);
	/* Return cfi_leaves_by_jump() of the function at @begin. This member may be NULL, as if no
	 * function did. */
	bool (*leaves_by_jump)(void *data, __u64 begin);
};

/* Find the rule of @frame, whose code shows @shown. Return whether the stack agrees with it. */
bool cfi_shown_rule(const struct cfi_shown *shown, const struct oprofile_uw_frame *frame,
		    const struct cfi_shown_stack_ops *ops, void *data,
		    struct oprofile_uw_rule *rule);

#endif
