// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_event_file.c -- fuzzes the parsers of unit_masks and events files; the input has both,
 * separated by a line "%".
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/event/file.h"
#include "tests/fuzz/fuzz.h"

static void put(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	fuzz_require(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
}

static void check(struct op_event_table *table)
{
	for (size_t i = 0; i < table->nr_events; i++) {
		const struct op_event *event = table->events[i];
		const struct op_unit_mask *um = event->unit_mask;

		fuzz_require(!strpbrk(event->name, "./,: \n") && *event->name && *event->desc);
		fuzz_require(event->min_count >= 1 && um->used && um->nr_values);
		fuzz_require(op_event_find(table, event->name) == event);
		fuzz_require(um->default_name ? op_um_default(um) != NULL :
			     op_um_valid(um, um->default_value));
		fuzz_require(um->type != OP_UM_MANDATORY || um->nr_values == 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/oprofile-fuzz-XXXXXX", path[80];
	char *text = fuzz_string(data, size), *events = strstr(text, "\n%\n");
	struct op_event_table *table = NULL;
	struct op_reason error = { "" };
	size_t masks_len = events ? (size_t)(events + 1 - text) : size;

	events = events ? events + 3 : text + size;
	fuzz_require(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/t", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/t/c", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/t/c/unit_masks", dir);
	put(path, text, masks_len);
	snprintf(path, sizeof(path), "%s/t/c/events", dir);
	put(path, events, text + size - events);

	if (!op_event_file_load_folder(&table, op_cpu_by_name("i386/skylake"), "t/c", dir, &error))
		check(table);
	else
		fuzz_require(!table && *error.text);
	op_event_table_free(table);

	unlink(path);
	snprintf(path, sizeof(path), "%s/t/c/unit_masks", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/t/c", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/t", dir);
	rmdir(path);
	rmdir(dir);
	free(text);
	return 0;
}
