// SPDX-License-Identifier: GPL-2.0-or-later
/* kept_table.c -- reads and writes stored symbol tables, text files with a line for each symbol. */
#include "config.h"
#include "pp/image/kept_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "libop/base/grow.h"
#include "libop/session/table_seal.h"

#define MAGIC		"oprofile-symbols 1"
/* maximum uncompressed size of a stored symbol table, in bytes */
#define MAX_TEXT	(256u << 20)
#define MAX_SEGMENTS	4096

struct writer {
	gzFile gz;
	uint64_t size;
	uint64_t last;		/* start address of the last symbol that was read */
	uint64_t nr;
	int err;
};

static void put(struct writer *w, const char *text, size_t len)
{
	w->size += len;
	if (!w->err && w->size > MAX_TEXT)
		w->err = -EFBIG;
	if (w->err || !len)
		return;
	errno = 0;
	if (gzwrite(w->gz, text, len) != (int)len)
		w->err = errno ? -errno : -EIO;
}

__attribute__((format(printf, 2, 3)))
static void put_line(struct writer *w, const char *fmt, ...)
{
	char line[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	put(w, line, len);
}

/* Write the name of a symbol. Escape newlines and backslashes in the name. */
static void put_name(struct writer *w, const char *name)
{
	while (*name) {
		size_t n = strcspn(name, "\n\\");

		put(w, name, n);
		name += n;
		if (*name)
			put(w, *name++ == '\n' ? "\\n" : "\\\\", 2);
	}
	put(w, "\n", 1);
}

static void put_symbol(struct writer *w, const struct pp_symbol *s)
{
	put_line(w, "%" PRIx64 " %" PRIx64 " %c ", s->start - w->last, s->end - s->start,
		 s->bind == PP_BIND_LOCAL ? 'l' : 'g');
	put_name(w, s->name);
	w->last = s->start;
	w->nr++;
}

/* Merge the symbols of @symtab and @plt by address, and write them. If two symbols have the same
 * address, write only the symbol of @symtab. */
static void put_symbols(struct writer *w, const struct pp_symtab *symtab,
			const struct pp_symtab *plt)
{
	size_t i = 0, j = 0;

	while (!w->err && (i < symtab->nr || j < plt->nr)) {
		const struct pp_symbol *s = i < symtab->nr ? &symtab->symbols[i] : NULL;
		const struct pp_symbol *p = j < plt->nr ? &plt->symbols[j] : NULL;

		if (s && (!p || s->start <= p->start)) {
			j += p && s->start == p->start;
			put_symbol(w, s);
			i++;
		} else {
			put_symbol(w, p);
			j++;
		}
	}
}

static void put_head(struct writer *w, const struct pp_elf *elf, const char *from)
{
	const struct pp_elf_section *text = pp_elf_section_by_name(elf, ".text");
	bool little = elf->swap != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	put_line(w, MAGIC "\nfrom %s\nmachine %u %d %s\n", from ? from : "-", elf->machine,
		 elf->is64 ? 64 : 32, little ? "little" : "big");
	if (text)
		put_line(w, "text %" PRIx64 "\n", text->addr);
	for (size_t i = 0; i < elf->nr_segments && i < MAX_SEGMENTS; i++) {
		const struct pp_elf_segment *s = &elf->segments[i];

		put_line(w, "segment %" PRIx64 " %" PRIx64 " %" PRIx64 " %c\n", s->vaddr, s->offset,
			 s->file_size, s->executable ? 'x' : '-');
	}
	put_line(w, "symbols\n");
}

int pp_kept_table_write(int fd, const struct pp_elf *elf, const struct pp_elf_symtab *symtab,
			const struct pp_plt *plt)
{
	struct writer w = { 0 };
	int own = dup(fd);

	if (own < 0)
		return -errno;
	w.gz = gzdopen(own, "wb6");
	if (!w.gz) {
		close(own);
		return -ENOMEM;
	}
	put_head(&w, elf, symtab->from);
	put_symbols(&w, &symtab->symtab, &plt->symtab);
	put_line(&w, "end %" PRIu64 "\n", w.nr);
	errno = 0;
	if (gzclose(w.gz) != Z_OK && !w.err)
		w.err = errno ? -errno : -EIO;
	return w.err ? w.err : op_table_seal(fd);
}

/* Uncompress the whole file @fd to *@ret, malloc'd, and append a NUL. */
static int unpack(char **ret, size_t *ret_size, int fd)
{
	size_t size = 0, room = 1 << 18;
	char *text = NULL;
	int own = dup(fd), n = 1;
	gzFile gz = own < 0 ? NULL : gzdopen(own, "rb");

	if (!gz) {
		if (own >= 0)
			close(own);
		return -ENOMEM;
	}
	while (n > 0 && size <= MAX_TEXT) {
		char *more = size + 65536 > room || !text ? realloc(text, room *= 2) : text;

		if (!more)
			break;
		text = more;
		n = gzread(gz, text + size, 65535);
		if (n > 0)
			size += n;
	}
	/* gzclose() detects a wrong checksum and a truncated file. */
	if (gzclose(gz) != Z_OK && !n)
		n = -1;
	if (!n) {
		text[size] = '\0';
		*ret = text;
		*ret_size = size;
		return 0;
	}
	free(text);
	return n < 0 || size > MAX_TEXT ? -ENOEXEC : -ENOMEM;
}

/* Position in the text of a symbol table, which is split into lines in place. */
struct reader {
	char *at, *end;
	struct pp_kept_table *table;
	struct pp_symbol *symbols;
	size_t nr;
};

/* Return the next line of the symbol table, or NULL at the end. */
static char *next_line(struct reader *r)
{
	char *line = r->at, *newline = memchr(r->at, '\n', r->end - r->at);

	if (!newline)
		return NULL;
	*newline = '\0';
	r->at = newline + 1;
	return line;
}

static int hex(char **at, uint64_t *ret)
{
	uint64_t value = 0;
	char *p = *at;

	for (; *p && *p != ' '; p++) {
		unsigned int digit = *p >= '0' && *p <= '9' ? *p - '0' :
				     *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : 16;

		if (digit > 15 || value >> 60)
			return -ENOEXEC;
		value = value << 4 | digit;
	}
	if (p == *at)
		return -ENOEXEC;
	*at = p + (*p == ' ');
	*ret = value;
	return 0;
}

static int read_segment(struct pp_elf *elf, char *line)
{
	struct pp_elf_segment segment = { 0 };

	if (hex(&line, &segment.vaddr) || hex(&line, &segment.offset) ||
	    hex(&line, &segment.file_size) || elf->nr_segments >= MAX_SEGMENTS)
		return -ENOEXEC;
	segment.executable = *line == 'x';
	if (op_grow(&elf->segments, elf->nr_segments))
		return -ENOMEM;
	elf->segments[elf->nr_segments++] = segment;
	return 0;
}

static int read_machine(struct pp_elf *elf, const char *line)
{
	unsigned int machine, bits;
	char order[8];

	if (sscanf(line, "%u %u %7s", &machine, &bits, order) != 3 || machine > UINT16_MAX)
		return -ENOEXEC;
	elf->machine = machine;
	elf->is64 = bits == 64;
	elf->swap = strcmp(order, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
	return 0;
}

static const char *from_of(const char *word)
{
	static const char *const known[] = { ".symtab", ".dynsym", ".gnu_debugdata", ".gopclntab" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(word, known[i]))
			return known[i];
	return NULL;
}

/* Parse a line of a symbol table's head, which precedes the symbols. Ignore unknown lines, which a
 * later version may have written. */
static int read_head_line(struct pp_kept_table *table, char *line)
{
	char *rest = line + strcspn(line, " ");

	rest += *rest == ' ';
	if (!strncmp(line, "from ", 5))
		table->from = from_of(rest);
	else if (!strncmp(line, "machine ", 8))
		return read_machine(&table->elf, rest);
	else if (!strncmp(line, "segment ", 8))
		return read_segment(&table->elf, rest);
	else if (!strncmp(line, "text ", 5)) {
		table->has_text = 1;
		return hex(&rest, &table->text_vma);
	}
	return 0;
}

static void unescape(char *name)
{
	char *to = strchr(name, '\\');

	for (char *from = to; from && *from; from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from == 'n' ? '\n' : *from;
		else
			*to++ = *from;
	}
	if (to)
		*to = '\0';
}

static int read_symbol(struct reader *r, char *line)
{
	uint64_t delta, size, start = r->nr ? r->symbols[r->nr - 1].start : 0;
	char *p = line;

	if (hex(&p, &delta) || hex(&p, &size) || !p[0] || p[1] != ' ' || !p[2] ||
	    (r->nr && !delta) || start + delta < start || start + delta + size < start + delta)
		return -ENOEXEC;
	if (op_grow(&r->symbols, r->nr))
		return -ENOMEM;
	start += delta;
	unescape(p + 2);
	r->symbols[r->nr++] = (struct pp_symbol){
		.start = start,
		.end = start + size,
		.limit = start + size,
		.name = p + 2,
		.bind = p[0] == 'l' ? PP_BIND_LOCAL : PP_BIND_GLOBAL,
	};
	return 0;
}

static int read_text(struct reader *r)
{
	char *line = next_line(r);
	int err = 0;

	if (!line || strcmp(line, MAGIC))
		return -ENOEXEC;
	while (!err && (line = next_line(r)) && strcmp(line, "symbols"))
		err = read_head_line(r->table, line);
	while (!err && (line = next_line(r)) && strncmp(line, "end ", 4))
		err = read_symbol(r, line);
	if (err)
		return err;
	return line && strtoull(line + 4, NULL, 10) == r->nr ? 0 : -ENOEXEC;
}

int pp_kept_table_read(struct pp_kept_table *ret, int fd)
{
	struct pp_kept_table table = { .elf = { .fd = -1 } };
	struct reader r = { .table = &table };
	size_t size;
	int err = unpack(&table.text, &size, fd);

	if (err)
		return err;
	r.at = table.text;
	r.end = table.text + size;
	err = read_text(&r);
	if (!err)
		err = pp_symtab_make_sorted(&table.symtab, r.symbols, r.nr);
	if (err) {
		free(r.symbols);
		pp_kept_table_release(&table);
		return err;
	}
	*ret = table;
	return 0;
}

void pp_kept_table_release(struct pp_kept_table *table)
{
	pp_symtab_release(&table->symtab);
	pp_elf_release(&table->elf);
	free(table->text);
	*table = (struct pp_kept_table){ .elf = { .fd = -1 } };
}
