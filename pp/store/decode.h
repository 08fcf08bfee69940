/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h -- reads the server's answers: rows in ClickHouse's format RowBinary.
 *
 * An answer may be from another program or be damaged, so every length is checked. Each row begins
 * with STORE_MARK: text in place of rows, such as a late exception, is found at once.
 */
#ifndef PP_STORE_DECODE_H
#define PP_STORE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_MARK		0x4f50524fu
#define STORE_MARK_SQL		"toUInt32(1330664015)"
#define STORE_MAX_STRING	(1u << 20)	/* maximum length of a string in bytes */
/* A query cuts strings of the tables to these lengths in bytes, so that a row of one host cannot
 * make an answer unreadable. A longer accounting is cut to one byte more. */
#define STORE_MAX_NAME		1023
#define STORE_MAX_ACCOUNTING	65536
#define STORE_MAX_LOSSES	256
#define STORE_MAX_FRAME		4095
#define STORE_MAX_FRAMES	65536
#define STORE_MAX_ELEMENTS	(1u << 16)	/* maximum number of elements of an array */

/* The rest of an answer. After the first error, .is_bad is set, and all values are 0 and "". */
struct store_rows {
	char *at, *end;
	bool is_bad;
};

/* Begin the next row. Return false at the end of the answer, or after an error. */
bool store_next_row(struct store_rows *r);
uint32_t store_u32(struct store_rows *r);
uint64_t store_u64(struct store_rows *r);
double store_double(struct store_rows *r);
/* Return the number of elements of an array, which follow. */
uint32_t store_nr_elements(struct store_rows *r);
/* Return the bytes of a string, which are not terminated, and their number. */
const char *store_bytes(struct store_rows *r, size_t *len);
/* Copy a string to @buf. Replace each NUL by '?', and omit bytes that do not fit. */
void store_string(struct store_rows *r, char *buf, size_t size);

#endif
