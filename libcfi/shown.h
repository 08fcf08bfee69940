/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shown.h -- unwind rules for code without rows in an unwind table, derived from the rules at the
 * exits of the code.
 *
 * JIT code is code that a process generates at run time. JIT code that is called returns by a
 * `ret`. A function of an interpreter may also enter JIT code by a jump: then the JIT code runs on
 * this function's frame, and jumps back to the function. exits.h finds these exits. First
 * cfi_shown_find() reads the code at a pc, which needs no stack. Then cfi_shown_rule() checks the
 * result with the words of a stack. x86_64 only. Freestanding, like cfi.h.
 */
#ifndef LIBCFI_SHOWN_H
#define LIBCFI_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "libcfi/exits.h"
#include "module/uapi/unwind.h"
#include "module/uapi/unwind_walk.h"

/* Information on the code at an address that jumps or returns may reach. */
struct cfi_target {
	bool is_made;  /* JIT code */
	/* the unwind table describes the function's first instructions, so it describes all
	 * instructions */
	bool is_exact;
	bool has_rule;
	struct oprofile_uw_rule rule; /* unwind rule at the address that was looked up */
	__u64 begin; /* start of the function, or of the mapping of JIT code; 0: unknown */
	__u64 end;   /* end of the mapping that contains the JIT code */
};

enum cfi_shows {
	CFI_SHOWS_NOTHING,
	CFI_SHOWS_RULE, /* .rule is the rule of the frame */
	/* The code runs on the frame of the function .entered. The size of this frame is at most
	 * .most bytes, but otherwise unknown. */
	CFI_SHOWS_FUNCTION,
	/*
	 * The code jumps to other code of the mapping .entered; the stack pointer at the jump is
	 * the one at the pc plus .jump.sp bytes. struct cfi_returned contains the known frames of
	 * this mapping.
	 */
	CFI_SHOWS_JUMP,
};

/* The frame to which the code at a pc leads: the result of cfi_shown_find(). */
struct cfi_shown {
	__u8 shows;	/* kind of the result, enum cfi_shows */
	__u8 nr_exits;	/* number of the code's exits from which a rule follows */
	bool is_return; /* the code returns by a `ret` */
	/*
	 * Set by the caller: the pc is a return address, but no call precedes it. Either JIT code
	 * pushed the address without a call, or the walk has mistaken another word for a return
	 * address. The rule is valid only if it leads to a return address after a call.
	 */
	bool is_pushed;
	/* the path to a `ret` consists only of instructions that pop values from the stack */
	bool is_sure;
	/* the rule is valid only if the return address follows a direct call of .entered */
	bool is_strict;
	/*
	 * The rule is a guess: all exits are jumps to addresses in registers or in memory, but
	 * other code of the mapping jumps to the function .entered. The frame of .entered begins
	 * .body bytes from the stack pointer.
	 */
	bool is_guess;
	__s32 body;
	__s32 most; /* maximum size of the frame in bytes; only for CFI_SHOWS_FUNCTION */
	struct oprofile_uw_rule rule;
	/* start of the function whose frame this is, or start of the mapping of JIT code */
	__u64 entered;
	struct cfi_exit jump;
};

#define CFI_RETURNED 4

/* Known frames of the JIT code in a mapping. The return address of each frame is in the code of a
 * file. The caller zeroes the struct to discard the frames. */
struct cfi_returned {
	unsigned int nr;
	struct {
		__u64 to; /* return address of this frame */
		struct oprofile_uw_rule rule;
	} frames[CFI_RETURNED];
};

/* The function on whose frame the JIT code of a mapping runs: the result of a scan. The caller
 * zeroes the struct before the first scan. */
struct cfi_entered {
	bool is_found;
	/* the scan found different functions or frames, so the result cannot be used */
	bool differs;
	bool read_all; /* set by the caller: the whole mapping was scanned */
	__s32 pushed;  /* sum of all distances by which the code moves the stack pointer down */
	/* the frame of the function, with the rule at the target of a jump */
	struct cfi_shown shown;
};

/* Look up the code at @address, and set *@ret. Return 0, or the reason (enum oprofile_uw_end) why
 * the lookup is not possible now. */
typedef int (*cfi_target_fn)(void *data, __u64 address, struct cfi_target *ret);

struct cfi_shown_ops {
	/* Copy at most @size bytes of code at @address to @to. Return the number of copied
	 * bytes. */
	size_t (*code)(void *data, __u64 address, unsigned char *to, size_t size);
	cfi_target_fn target;
	/* Return the result of the scan of a mapping of JIT code, or NULL if it is unknown. */
	const struct cfi_entered *(*entered)(void *data, const struct cfi_target *mapping);
};

/*
 * Find the frame to which the code at @pc leads, and the rule of this frame relative to the stack
 * pointer at @pc. Return 0, or a reason (enum oprofile_uw_end) if the code jumps to other code that
 * is not known yet.
 */
int cfi_shown_find(__u64 pc, const struct cfi_shown_ops *ops, void *data, struct cfi_shown *ret);

/*
 * Return whether the function that starts at @begin ends in a jump to an address in a register or
 * in memory, after it has removed its frame. The code to which it jumps then returns to the
 * function's caller.
 */
bool cfi_leaves_by_jump(__u64 begin, const struct cfi_shown_ops *ops, void *data);

/*
 * Search the @size bytes of JIT code at @address for jumps to functions with unwind rows. @code is
 * a copy of the bytes. @may_work limits the work: it returns whether one more lookup of a jump
 * target is allowed. Return false if the limit ended the search early.
 */
bool cfi_entered_scan(struct cfi_entered *e, const unsigned char *code, __u64 address, size_t size,
		      cfi_target_fn target, bool (*may_work)(void *data, unsigned int amount),
		      void *data);

struct cfi_shown_stack_ops {
	cfi_target_fn target;
	/* Read a word of memory; see struct oprofile_uw_ops for .word and .known_call. */
	int (*word)(void *data, __u64 address, unsigned int size, __u64 *value);
	int (*known_call)(void *data, __u64 word);
	/* Return the target of the direct call that ends at @pc; 0: the instruction is not a direct
	 * call, or the code cannot be read. @again: read the code again, because it may have been
	 * replaced. */
	__u64 (*called)(void *data, __u64 pc, bool again);
	/* Return whether the limit of work allows to examine @amount more words. */
	bool (*may_work)(void *data, unsigned int amount);
	/* Return whether @address is in JIT code. Must be fast. */
	bool (*is_made)(void *data, __u64 address);
	/* Return the known frames of the mapping of JIT code that starts at @mapping;
	 * cfi_shown_rule() adds frames. Return NULL without room for another mapping. The
	 * function pointer may be NULL. */
	struct cfi_returned *(*returned)(void *data, __u64 mapping);
	/* Return the result of cfi_leaves_by_jump() for the function at @begin, perhaps from a
	 * cache. NULL instead of this function: the result is false for all functions. */
	bool (*leaves_by_jump)(void *data, __u64 begin);
};

/* Compute the rule of @frame. @shown: the result of cfi_shown_find() for the frame's code. Return
 * whether the words of the stack agree with the rule. */
bool cfi_shown_rule(const struct cfi_shown *shown, const struct oprofile_uw_frame *frame,
		    const struct cfi_shown_stack_ops *ops, void *data,
		    struct oprofile_uw_rule *rule);

#endif
