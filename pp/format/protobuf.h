/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h -- messages in protocol buffers' wire format, composed in memory. Supports only the
 * types that profiles of pprof and OTLP need: numbers, strings, packed numbers, nested messages.
 */
#ifndef PP_FORMAT_PROTOBUF_H
#define PP_FORMAT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A protobuf message that is being composed. A struct of zeros is an empty message. */
struct pp_message {
	uint8_t *bytes;
	size_t nr, size;
	bool failed;		/* memory was short, so the message lacks fields */
};

/* Remove all fields of the message, but keep its memory. */
void pp_message_clear(struct pp_message *m);
void pp_message_release(struct pp_message *m);

/* Add a field of type (u)int64 or bool. Omit the value 0, the default. */
void pp_message_add_uint(struct pp_message *m, unsigned int field, uint64_t value);
/* Add a field of type string. */
void pp_message_add_string(struct pp_message *m, unsigned int field, const char *text);
void pp_message_add_bytes(struct pp_message *m, unsigned int field, const void *data, size_t len);
/* Add a field of type fixed64. Omit the value 0, the default. */
void pp_message_add_fixed64(struct pp_message *m, unsigned int field, uint64_t value);
/* Add a repeated field of type (u)int64 in packed form. */
void pp_message_add_packed(struct pp_message *m, unsigned int field, const uint64_t *values,
			   size_t nr);
/* Append all fields of @from. */
void pp_message_append(struct pp_message *m, const struct pp_message *from);
/* Add a field that contains a copy of the message @inside. */
void pp_message_add_message(struct pp_message *m, unsigned int field,
			    const struct pp_message *inside);

/* A stream that writes compressed data to a file. */

struct pp_gzip;

/* Return a stream that writes compressed data to @out, or NULL if out of memory. The caller still
 * owns @out, and checks ferror() of @out. */
struct pp_gzip *pp_gzip_open(FILE *out);
void pp_gzip_write(struct pp_gzip *gzip, const void *data, size_t len);
/* Write the rest of the data, and free @gzip, which may be NULL. */
void pp_gzip_close(struct pp_gzip *gzip);

#endif
