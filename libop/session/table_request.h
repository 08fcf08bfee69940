/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_request.h -- messages between the daemon and opsymbols, which generates symbol and unwind
 * tables, over a SOCK_SEQPACKET socket.
 *
 * A request is one byte, the kind of the table, with descriptors of the binary, of the output file,
 * and of the binary's debug file if it has one. The answer is an int32_t: 0 if the table is on the
 * disk, or a negative errno. When one of the processes closes the socket, the other process stops
 * using it.
 */
#ifndef OP_TABLE_REQUEST_H
#define OP_TABLE_REQUEST_H

#define OP_TABLE_PROGRAM	"opsymbols"
/* number of the socket's descriptor in the process opsymbols */
#define OP_TABLE_SOCKET		3
#define OP_TABLE_MAX_FDS	3

/* request for a symbol table; descriptors: binary, output */
#define OP_TABLE_PLAIN		'p'
/* request for a symbol table; descriptors: binary, output, debug file */
#define OP_TABLE_WITH_DEBUG	'd'
/* request for an unwind table (libcfi/file.h); descriptors: binary, output */
#define OP_TABLE_UNWIND		'u'
/* request for an unwind table; descriptors: binary, output, debug file */
#define OP_TABLE_UNWIND_WITH_DEBUG 'v'
/* request for an unwind table of JIT code (libcfi/made.h); descriptors: jit-PID.dump, output */
#define OP_TABLE_MADE		'm'

#endif
