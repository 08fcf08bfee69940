/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otlp.h -- the rows of an interval as requests of OTLP's profiles signal, in the layout of
 * version 1.10 of the protocol.
 *
 * A request is complete in itself: it has its own dictionary of strings, binaries, functions and
 * stacks. A profile in it has the samples of one event of one program (service and build), whose
 * attributes are those of its resource. The same rows give the same requests.
 */
#ifndef OPEXPORT_OTLP_H
#define OPEXPORT_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "intervals/store.h"
#include "pp/format/protobuf.h"
#include "pp/session/classes.h"
#include "utils/opexport/batch.h"
#include "utils/opexport/rows.h"

#define EXPORT_OTLP_TYPE	"application/x-protobuf"
/* Approximate maximum size of a request in bytes, before compression. Servers usually accept
 * requests of 4 MB and more. */
#define EXPORT_OTLP_MAX		(2u << 20)

struct export_otlp_input {
	const struct export_rows *rows;
	const struct pp_classes *classes;	/* classes of the rows */
	const struct export_host *host;
	const struct itv_entry *entry;
	size_t max_rows;	/* --rows; 0: EXPORT_MAX_ROWS */
	size_t max_size;	/* approximate maximum size of a request in bytes */
};

struct export_otlp_request {
	/* the message ExportProfilesServiceRequest; valid until the next call */
	const struct pp_message *message;
	size_t nr_profiles, nr_rows;
	uint64_t sent;		/* sum of the counts */
};

struct export_otlp;

/* Prepare the requests of @input, which must outlive *@ret. Return 0 or -ENOMEM. */
int export_otlp_create(struct export_otlp **ret, const struct export_otlp_input *input);
void export_otlp_destroy(struct export_otlp *o);

/* Make the next request. Return 1 and the request, 0 if there are no more rows, or -ENOMEM. */
int export_otlp_next(struct export_otlp *o, struct export_otlp_request *ret);

/* Return the number of rows that thinning has dropped so far. */
size_t export_otlp_thinned(const struct export_otlp *o);

/* The profiles that a collector rejected from a request that it accepted. */
struct export_otlp_partial {
	uint64_t rejected;	/* number of profiles */
	/* the collector's reason or warning, which may contain control characters; "": none */
	char message[300];
};

/* Parse the answer of a collector, the message ExportProfilesServiceResponse. Return 0, or -EINVAL
 * if @data is not such a message. */
int export_otlp_parse(struct export_otlp_partial *ret, const void *data, size_t len);

#endif
