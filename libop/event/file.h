/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- reading of a CPU's event table from events/ARCH/CPU/{events,unit_masks}. Format of the
 * events file:
 *
 * 	# comment
 * 	include:ARCH/CPU
 * 	event:0xNN counters:LIST um:MASK[,MASK] minimum:N name:NAME [filter:N] : description
 * 	event:0xNN ext:FEATURE um:MASK minimum:N name:NAME : description
 *
 * LIST: numbers of counters, "cpuid" for all general counters of the CPU, "fixedN" for fixed
 * counter N. The masks after um: are merged into one mask. An event from an included file must not
 * be defined again.
 *
 * Format of the unit_masks file:
 *
 * 	# comment
 * 	include:ARCH/CPU
 * 	name:NAME type:mandatory|bitmask|exclusive default:0xNN|VALUENAME
 * 		0xNN description
 * 		0xNN extra:[edge,inv,any,pebs,cmask=N] VALUENAME description
 *
 * If a line contains "extra:", the word after this tag is the name of the value. A mandatory mask
 * has exactly one value. The default of a bitmask is a combination of its values; the default of an
 * exclusive mask is one of its values.
 */
#ifndef OP_EVENT_FILE_H
#define OP_EVENT_FILE_H

#include "libop/base/reason.h"
#include "libop/event/event.h"

/*
 * Load the event table of @cpu, without libpfm4's events. @root: directory that contains the
 * tables; NULL: $OPROFILE_EVENTS_DIR, or events/ of the build tree that contains the program, or
 * the installed directory. Return 0; -ENODATA: no events are known for the CPU; OP_ERR_EVENT_TABLE
 * or a negative errno with a message.
 */
int op_event_file_load(struct op_event_table **ret, const struct op_cpu_desc *cpu,
		       const char *root, struct op_reason *error);

/* Load the event table in the directory @folder below @root. No CPU may have this directory, for
 * example because other directories only include it. Declared for tests. */
int op_event_file_load_folder(struct op_event_table **ret, const struct op_cpu_desc *cpu,
			      const char *folder, const char *root, struct op_reason *error);

#endif
