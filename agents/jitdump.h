/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jitdump.h -- the format of jit-PID.dump: perf's jitdump version 1 (the kernel's
 * tools/perf/Documentation/jitdump-specification.txt) with additional types of records, which
 * other readers skip. Numbers are in the machine's byte order.
 */
#ifndef AGENTS_JITDUMP_H
#define AGENTS_JITDUMP_H

#include <stdint.h>

#define OPA_JITDUMP_MAGIC	0x4a695444u	/* the bytes "JiTD" */
#define OPA_JITDUMP_VERSION	1

struct opa_jitdump_header {
	/* .size: size of this header; .machine: the EM_* constant of the ELF header */
	uint32_t magic, version, size, machine;
	uint32_t pad, pid;
	/* time of the dump on CLOCK_MONOTONIC, in ns, as in the records */
	uint64_t time_ns;
	uint64_t flags;
};

enum opa_jitdump_record {
	OPA_JITDUMP_LOAD = 0,
	OPA_JITDUMP_CLOSE = 3,
	/* Additional types of records. In perf's format, the record of source lines (2) precedes
	 * the code. A program that uses opagent.h reports the code first, so its source lines need
	 * another type of record. */
	/* source lines of code whose record precedes this record */
	OPA_JITDUMP_LINES = 0x4f500000,
	/* like OPA_JITDUMP_LOAD, but without the bytes of the code */
	OPA_JITDUMP_NAME,
	OPA_JITDUMP_UNLOAD,
};

struct opa_jitdump_prefix {
	uint32_t id, size;	/* .id: type of the record; .size: size of the whole record */
	uint64_t time_ns;
};

/* The name of the code, with its NUL, follows this struct; then the bytes of the code. */
struct opa_jitdump_load {
	struct opa_jitdump_prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct opa_jitdump_lines {	/* .nr entries of struct opa_jitdump_line follow this struct */
	struct opa_jitdump_prefix prefix;
	uint64_t code_addr, nr;
};

/* The file name, with its NUL, follows this struct. The name "\xff" means the file of the previous
 * entry. */
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
