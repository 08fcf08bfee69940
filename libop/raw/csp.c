// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * csp.c -- writer of files of the format HPC_CSPROF: call paths of one program.
 */
#include "libop/raw/csp.h"

void raw_csp_begin(struct raw_csp_out *out, raw_csp_write_fn write, void *arg)
{
	out->write = write;
	out->arg = arg;
	out->err = 0;
	out->used = 0;
}

int raw_csp_finish(struct raw_csp_out *out)
{
	if (!out->err && out->used)
		out->err = out->write(out->arg, out->buf, out->used);
	out->used = 0;
	return out->err;
}

void raw_csp_bytes(struct raw_csp_out *out, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len) {
		size_t fits = sizeof(out->buf) - out->used;

		if (fits > len)
			fits = len;
		__builtin_memcpy(out->buf + out->used, at, fits);
		out->used += fits;
		at += fits;
		len -= fits;
		if (out->used == sizeof(out->buf))
			raw_csp_finish(out);
	}
}

/* Write @value in @size bytes, in little-endian byte order. */
static void number(struct raw_csp_out *out, uint64_t value, unsigned int size)
{
	unsigned char bytes[8];

	for (unsigned int i = 0; i < size; i++)
		bytes[i] = value >> (8 * i);
	raw_csp_bytes(out, bytes, size);
}

void raw_csp_u32(struct raw_csp_out *out, uint32_t value)
{
	number(out, value, 4);
}

void raw_csp_u64(struct raw_csp_out *out, uint64_t value)
{
	number(out, value, 8);
}

static void string(struct raw_csp_out *out, uint32_t tag, const char *text)
{
	size_t len = __builtin_strlen(text);

	raw_csp_u32(out, tag);
	raw_csp_u32(out, len);
	raw_csp_bytes(out, text, len);
}

static void tagged(struct raw_csp_out *out, uint32_t tag, uint64_t value)
{
	raw_csp_u32(out, tag);
	raw_csp_u64(out, value);
}

void raw_csp_header(struct raw_csp_out *out, const char *version)
{
	raw_csp_bytes(out, RAW_CSP_MAGIC, sizeof(RAW_CSP_MAGIC) - 1);
	raw_csp_bytes(out, version, RAW_CSP_VERSION_LEN);
	raw_csp_bytes(out, "l", 1);
	raw_csp_u64(out, RAW_CSP_NUM_CHUNKS);
}

void raw_csp_data(struct raw_csp_out *out, const char *target, uint32_t nr_metrics)
{
	string(out, RAW_CSP_TARGET, target);
	raw_csp_u32(out, nr_metrics);
}

void raw_csp_metric(struct raw_csp_out *out, const char *event, uint64_t flags, uint64_t period)
{
	string(out, RAW_CSP_EVENT, event);
	tagged(out, RAW_CSP_FLAGS, flags);
	tagged(out, RAW_CSP_PERIOD, period);
}

void raw_csp_epochs(struct raw_csp_out *out, uint32_t nr_epochs)
{
	raw_csp_u32(out, nr_epochs);
}

void raw_csp_epoch(struct raw_csp_out *out, uint32_t nr_modules)
{
	raw_csp_u32(out, nr_modules);
}

void raw_csp_module(struct raw_csp_out *out, const char *path, uint32_t len, uint64_t preferred,
		    uint64_t mapped)
{
	raw_csp_u32(out, len);
	raw_csp_bytes(out, path, len);
	raw_csp_u64(out, preferred);
	raw_csp_u64(out, mapped);
}

void raw_csp_trees(struct raw_csp_out *out, uint32_t nr_trees, uint64_t trampoline_samples)
{
	raw_csp_u32(out, nr_trees);
	raw_csp_u64(out, trampoline_samples);
}

void raw_csp_tree(struct raw_csp_out *out, uint64_t nr_nodes, uint32_t epoch, bool has_trampoline)
{
	raw_csp_bytes(out, RAW_CSP_TREE_MAGIC, sizeof(RAW_CSP_TREE_MAGIC) - 1);
	raw_csp_bytes(out, has_trampoline ? "01.0Tl" : "01.00l", 6);
	raw_csp_u32(out, 8);
	raw_csp_u32(out, 8);
	raw_csp_u64(out, nr_nodes);
	raw_csp_u32(out, epoch);
}

void raw_csp_node(struct raw_csp_out *out, uint64_t id, uint64_t parent, uint64_t ip, uint64_t sp,
		  const uint64_t *metrics, uint32_t nr_metrics)
{
	raw_csp_u64(out, id);
	raw_csp_u64(out, parent);
	raw_csp_u64(out, ip);
	raw_csp_u64(out, sp);
	for (uint32_t i = 0; i < nr_metrics; i++)
		raw_csp_u64(out, metrics[i]);
}

void raw_csp_trailer(struct raw_csp_out *out)
{
	raw_csp_bytes(out, RAW_CSP_TRAILER_MAGIC, RAW_CSP_TRAILER_MAGIC_LEN);
}

void raw_csp_item(struct raw_csp_out *out, enum raw_csp_item kind, uint64_t len)
{
	raw_csp_u32(out, kind);
	raw_csp_u64(out, len);
}

void raw_csp_sums(struct raw_csp_out *out, const uint64_t *sums, uint32_t nr_metrics)
{
	raw_csp_item(out, RAW_CSP_SUMS, 8 * (uint64_t)nr_metrics);
	for (uint32_t i = 0; i < nr_metrics; i++)
		raw_csp_u64(out, sums[i]);
}
