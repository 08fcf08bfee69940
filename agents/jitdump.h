/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jitdump.h -- the format of jit-PID.dump: perf's jitdump version 1 (the kernel's
 * tools/perf/Documentation/jitdump-specification.txt), and three additional kinds of record, which
 * other readers skip. Numbers are in the machine's byte order.
 */
#ifndef AGENTS_JITDUMP_H
#define AGENTS_JITDUMP_H

#include <stdint.h>

#define OPA_JITDUMP_MAGIC	0x4a695444u	/* the bytes "JiTD" */
#define OPA_JITDUMP_VERSION	1

struct opa_jitdump_header {
	uint32_t magic, version, size, machine;	/* EM_* */
	uint32_t pad, pid;
	/* time of the dump in ns of CLOCK_MONOTONIC, the clock of the records */
	uint64_t time_ns;
	uint64_t flags;
};

enum opa_jitdump_record {
	OPA_JITDUMP_LOAD = 0,
	OPA_JITDUMP_CLOSE = 3,
	/* Additional kinds. perf's record of lines (2) precedes the code, but opagent.h gets the
	 * code first. */
	/* record: source lines of code that was loaded before */
	OPA_JITDUMP_LINES = 0x4f500000,
	/* record: like OPA_JITDUMP_LOAD, but without the bytes of the code */
	OPA_JITDUMP_NAME,
	OPA_JITDUMP_UNLOAD,
};

struct opa_jitdump_prefix {
	uint32_t id, size;	/* .id: kind of the record; .size: size of the whole record */
	uint64_t time_ns;
};

struct opa_jitdump_load {	/* followed by the name with its NUL, and the bytes of the code */
	struct opa_jitdump_prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct opa_jitdump_lines {	/* this struct is followed by @nr entries */
	struct opa_jitdump_prefix prefix;
	uint64_t code_addr, nr;
};

/* followed by the file name with its NUL; "\xff": the previous entry's file */
struct opa_jitdump_line {
	uint64_t vma;
	uint32_t line, discriminator;
};

struct opa_jitdump_unload {
	struct opa_jitdump_prefix prefix;
	uint32_t pid, tid;
	uint64_t vma;
};

#endif
