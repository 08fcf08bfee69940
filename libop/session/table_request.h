/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_request.h -- what the daemon and opsymbols, which makes tables of symbols and of stack frames for it, say to each
 * other over a socket of whole messages (SOCK_SEQPACKET).
 *
 * A request is one byte that tells which descriptors come with it: the binary, the file the table is
 * to be written to, and the binary's debug file where there is one. The answer is an int32_t: 0 when
 * the table is on the disk, or a negative errno. Whoever closes the socket ends the other's work.
 */
#ifndef OP_TABLE_REQUEST_H
#define OP_TABLE_REQUEST_H

#define OP_TABLE_PROGRAM	"opsymbols"
#define OP_TABLE_SOCKET		3		/* the descriptor opsymbols finds it at */
#define OP_TABLE_MAX_FDS	3

#define OP_TABLE_PLAIN		'p'		/* binary, output */
#define OP_TABLE_WITH_DEBUG	'd'		/* binary, output, debug file */
#define OP_TABLE_UNWIND		'u'		/* binary, output: to walk stacks by (libcfi/file.h) */
#define OP_TABLE_UNWIND_WITH_DEBUG 'v'		/* binary, output, debug file */
#define OP_TABLE_MADE		'm'		/* jit-PID.dump, output: to walk stacks by (libcfi/made.h) */

#endif
