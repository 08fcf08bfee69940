// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_foreign.c -- fuzzes opimport with any abi file and any sample file: it refuses them with a
 * message, or converts them to a valid file of bounded size that has every count.
 *
 * Input: the abi file, a NUL, the sample file. The first byte selects --force.
 */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "pp/archive/import.h"
#include "tests/fuzz/fuzz.h"

static void check_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	(void)log;
	(void)level;
	fuzz_require(*text);
}

/* Convert the sample file by the abi description, and check the result. */
static void convert(const uint8_t *data, size_t size, const struct pp_abi *abi, int force)
{
	struct pp_log log = { .write = check_message };
	int from = memfd_create("from", 0), to = memfd_create("to", 0), err;
	uint64_t nr = 0;
	struct odb *db;

	fuzz_require(from >= 0 && to >= 0);
	fuzz_require(write(from, data, size) == (ssize_t)size);
	fuzz_require(!odb_open(&db, to, sizeof(struct op_sample_header), ODB_WRITE, NULL));
	err = pp_foreign_convert(db, from, abi, force, "file", &log);
	fuzz_require(!err == !*log.error.text);
	if (!err) {
		struct op_sample_header *header = odb_header(db);

		fuzz_require(!op_sample_header_check(header));
		fuzz_require(header->cpu_speed >= 0);
		for (uint32_t i = 0; i < odb_nr_nodes(db); i++) {
			uint64_t key;
			uint32_t count;

			odb_node(db, i, &key, &count);
			nr += count != 0;
		}
		/* A 64-bit count may need several nodes, but the number of nodes is limited. */
		fuzz_require(nr <= 300 * (size / abi->node_size + 1));
	}
	odb_close(db);
	close(from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_log log = { .write = check_message };
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	struct pp_abi abi;
	char *text;

	if (!end)
		return 0;
	text = fuzz_string(data, end - data);
	if (pp_abi_parse(&abi, text, "abi", &log))
		fuzz_require(*log.error.text);
	else
		convert(end + 1, size - (end + 1 - data), &abi, data[0] & 1);
	free(text);
	return 0;
}
