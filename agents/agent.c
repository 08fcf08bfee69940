// SPDX-License-Identifier: LGPL-2.1-or-later
/* agent.c -- the functions of opagent.h. Each call writes a jitdump record. */
#include "config.h"
#include "agents/opagent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agents/dump.h"
#include "agents/jitdump.h"

/* Version of the interface; opagent.map contains the same version. */
enum { MAJOR = 1, MINOR = 0 };

/* The address of this variable is the handle of every agent: all agents of a process share one
 * file. */
static char agent_of_process;
/* last number of a block of code; global, because the file has one sequence of numbers */
static uint64_t nr_codes;

int op_major_version(void)
{
	return MAJOR;
}

int op_minor_version(void)
{
	return MINOR;
}

static int result(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

static bool is_agent(op_agent_t agent)
{
	return agent == &agent_of_process;
}

static struct opa_jitdump_prefix prefix(uint32_t id, size_t size)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct opa_jitdump_prefix){
		.id = id,
		.size = (uint32_t)size,
		.time_ns = now.tv_sec * 1000000000ull + now.tv_nsec,
	};
}

static uint32_t tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

op_agent_t op_open_agent(void)
{
	return result(opa_dump_take()) ? NULL : &agent_of_process;
}

int op_close_agent(op_agent_t agent)
{
	return result(is_agent(agent) ? opa_dump_put() : -EINVAL);
}

int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size)
{
	struct opa_jitdump_load load = {
		.pid = getpid(), .tid = tid(), .vma = vma, .code_addr = vma, .code_size = size};
	size_t name_size, all;
	struct iovec parts[3];

	if (!is_agent(agent) || !symbol_name)
		return result(-EINVAL);
	if (!size)
		return 0;	/* skip empty code, which has no addresses */
	name_size = strlen(symbol_name) + 1;
	all = sizeof(load) + name_size + (code ? size : 0);
	load.prefix = prefix(code ? OPA_JITDUMP_LOAD : OPA_JITDUMP_NAME, all);
	load.code_index = __atomic_fetch_add(&nr_codes, 1, __ATOMIC_RELAXED);
	parts[0] = (struct iovec){ &load, sizeof(load) };
	parts[1] = (struct iovec){ (void *)symbol_name, name_size };
	parts[2] = (struct iovec){ (void *)code, size };
	return result(opa_dump_append(parts, code ? 3 : 2, all));
}

static bool is_same_file(const char *a, const char *b)
{
	return a == b || (a && !strcmp(a, b));
}

/* Return the file name to write for @entry, or "\xff" if @entry has the same file name as @before,
 * the previous entry. */
static const char *file_text(const char *before, const struct debug_line_info *entry)
{
	return is_same_file(before, entry->filename) ? "\xff" : entry->filename;
}

int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map)
{
	struct opa_jitdump_lines lines = { .code_addr = (uintptr_t)code };
	const char *before = NULL;
	char *entries, *end;
	size_t size = 0;
	int err;

	if (!is_agent(agent) || !code || (nr_entry && !compile_map))
		return result(-EINVAL);
	for (size_t i = 0; i < nr_entry; i++) {
		if (!compile_map[i].filename)
			continue;
		size += sizeof(struct opa_jitdump_line) +
			strlen(file_text(before, &compile_map[i])) + 1;
		before = compile_map[i].filename;
		lines.nr++;
	}
	if (!lines.nr)
		return 0;
	entries = end = malloc(size);
	if (!entries)
		return result(-ENOMEM);
	before = NULL;
	for (size_t i = 0; i < nr_entry; i++) {
		const struct debug_line_info *entry = &compile_map[i];
		const struct opa_jitdump_line line = { .vma = entry->vma, .line = entry->lineno };

		if (!entry->filename)
			continue;
		memcpy(end, &line, sizeof(line));
		end = stpcpy(end + sizeof(line), file_text(before, entry)) + 1;
		before = entry->filename;
	}
	lines.prefix = prefix(OPA_JITDUMP_LINES, sizeof(lines) + size);
	err = opa_dump_append((struct iovec[]){{&lines, sizeof(lines)}, {entries, size}}, 2,
			      sizeof(lines) + size);
	free(entries);
	return result(err);
}

int op_unload_native_code(op_agent_t agent, uint64_t vma)
{
	struct opa_jitdump_unload unload = { .pid = getpid(), .tid = tid(), .vma = vma };

	if (!is_agent(agent))
		return result(-EINVAL);
	unload.prefix = prefix(OPA_JITDUMP_UNLOAD, sizeof(unload));
	return result(opa_dump_append(&(struct iovec){&unload, sizeof(unload)}, 1, sizeof(unload)));
}
