// SPDX-License-Identifier: GPL-2.0-or-later
/* plt_x86_64.c -- names of PLT stubs of x86-64. */
#include "config.h"
#include "pp/image/plt_x86_64.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

/* limits in bytes: size of a section of stubs, size of all names together, and size of the piece of
 * a name that one read gets */
#define MAX_SECTION	(16u << 20)
#define MAX_NAMES	(16u << 20)
#define NAME_PIECE	256
/* Stubs begin at multiples of this number of bytes. */
#define STUB_STEP	8
/* number of relocations that are read at once */
#define NR_RELOCATIONS	1024
/* name of the symbol with the index 0, as in disassembly by objdump */
#define NO_SYMBOL_NAME	"*ABS*"

/* A stub, which jumps to the address that the dynamic linker stores in a slot. */
struct stub {
	uint64_t slot;		/* address of the slot */
	uint64_t start, limit;	/* start of the stub, and end of its section */
	uint64_t addend;
	uint32_t symbol;	/* index of the symbol whose address the slot gets */
	bool has_symbol;
};

struct stubs {
	struct stub *items;	/* sorted by slot */
	size_t nr, nr_with_symbol;
};

struct text {
	char *at;
	size_t nr, size;
};

bool pp_plt_is_x86_64(const struct pp_elf *elf)
{
	return elf->machine == EM_X86_64 && elf->is64 && !elf->damaged;
}

bool pp_plt_is_section(const struct pp_elf_section *section)
{
	return section->type == SHT_PROGBITS && (section->flags & SHF_EXECINSTR) &&
	       !strncmp(section->name, ".plt", 4);
}

/* Return the offset after the instruction "jmp *OFFSET(%rip)" at the start of the @size bytes at
 * @code, or 0 if they begin with another instruction. Before the jump, "endbr64" and the prefix
 * "bnd" are possible. Set *@ret to OFFSET. */
static size_t parse_stub(const struct pp_elf *elf, const char *code, size_t size, int32_t *ret)
{
	size_t at = 0;

	if (size >= 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	if (at < size && code[at] == '\xf2')
		at++;
	if (size - at < 6 || memcmp(code + at, "\xff\x25", 2))
		return 0;
	*ret = (int32_t)pp_elf_get32(elf, code + at + 2);
	return at + 6;
}

static int add_stubs(struct stubs *stubs, const struct pp_elf *elf,
		     const struct pp_elf_section *section)
{
	const uint64_t limit = section->addr + section->size;
	int32_t offset;
	char *code;
	int err;

	if (section->size > MAX_SECTION || limit < section->addr)
		return 0;
	err = pp_elf_section_data(&code, elf, section);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t at = 0; at < section->size && !err; at += STUB_STEP) {
		const size_t len = parse_stub(elf, code + at, section->size - at, &offset);

		if (!len)
			continue;
		if (op_grow(&stubs->items, stubs->nr)) {
			err = -ENOMEM;
			break;
		}
		stubs->items[stubs->nr++] = (struct stub){
			.slot = section->addr + at + len + (uint64_t)(int64_t)offset,
			.start = section->addr + at,
			.limit = limit,
		};
	}
	free(code);
	return err;
}

static int compare_slots(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;
	int d = op_compare_u64(x->slot, y->slot);

	return d ? d : op_compare_u64(x->start, y->start);
}

static int find_stubs(struct stubs *stubs, const struct pp_elf *elf)
{
	int err = 0;

	for (size_t i = 0; i < elf->nr_sections && !err; i++)
		if (pp_plt_is_section(&elf->sections[i]))
			err = add_stubs(stubs, elf, &elf->sections[i]);
	if (!err && stubs->nr)
		qsort(stubs->items, stubs->nr, sizeof(*stubs->items), compare_slots);
	return err;
}

/* Give the stubs of the slot that the relocation at @p fills the symbol of the relocation. */
static void use_relocation(struct stubs *stubs, const struct pp_elf *elf, const char *p)
{
	const uint64_t slot = pp_elf_get64(elf, p + offsetof(Elf64_Rela, r_offset));
	size_t at;

	if (slot < stubs->items[0].slot || slot > stubs->items[stubs->nr - 1].slot)
		return;
	at = op_partition_point(i, stubs->nr, stubs->items[i].slot < slot);
	for (; at < stubs->nr && stubs->items[at].slot == slot; at++) {
		struct stub *stub = &stubs->items[at];

		if (stub->has_symbol)
			continue;
		stub->symbol = pp_elf_get64(elf, p + offsetof(Elf64_Rela, r_info)) >> 32;
		stub->addend = pp_elf_get64(elf, p + offsetof(Elf64_Rela, r_addend));
		stub->has_symbol = true;
		stubs->nr_with_symbol++;
	}
}

static int read_relocations(struct stubs *stubs, const struct pp_elf *elf,
			    const struct pp_elf_section *section)
{
	uint64_t left = section->size / sizeof(Elf64_Rela), offset = section->offset;
	char *buf = malloc(NR_RELOCATIONS * sizeof(Elf64_Rela));

	if (!buf)
		return -ENOMEM;
	while (left && stubs->nr_with_symbol < stubs->nr) {
		const size_t nr = left < NR_RELOCATIONS ? left : NR_RELOCATIONS;

		if (pp_elf_pread(elf, buf, nr * sizeof(Elf64_Rela), offset))
			break;
		for (size_t i = 0; i < nr; i++)
			use_relocation(stubs, elf, buf + i * sizeof(Elf64_Rela));
		offset += nr * sizeof(Elf64_Rela);
		left -= nr;
	}
	free(buf);
	return 0;
}

/* Search for the symbols of the stubs. Linkers write the relocations of stubs after all others, so
 * read the sections from last to first, until all stubs have a symbol. */
static int find_symbols(struct stubs *stubs, const struct pp_elf *elf,
			const struct pp_elf_section *symbols)
{
	int err = 0;

	for (size_t i = elf->nr_sections; i-- > 0 && !err;) {
		const struct pp_elf_section *section = &elf->sections[i];

		if (section->type == SHT_RELA &&
		    section->link == (size_t)(symbols - elf->sections))
			err = read_relocations(stubs, elf, section);
	}
	return err;
}

/* Append @size bytes to the text. Return 0, -EFBIG or -ENOMEM. */
static int append(struct text *text, const void *bytes, size_t size)
{
	size_t wanted = text->nr + size;
	char *more;

	if (wanted > MAX_NAMES)
		return -EFBIG;
	if (wanted > text->size) {
		wanted = wanted < 2 * text->size ? 2 * text->size : wanted;
		more = realloc(text->at, wanted);
		if (!more)
			return -ENOMEM;
		text->at = more;
		text->size = wanted;
	}
	memcpy(text->at + text->nr, bytes, size);
	text->nr += size;
	return 0;
}

/* Append the name of the symbol with the index @index. Return 0 or a negative errno. */
static int append_symbol(struct text *text, const struct pp_elf *elf,
			 const struct pp_elf_section *symbols, uint32_t index)
{
	const struct pp_elf_section *strings = &elf->sections[symbols->link];
	char entry[sizeof(Elf64_Sym)], piece[NAME_PIECE];
	uint64_t at;
	int err;

	if (!index)
		return append(text, NO_SYMBOL_NAME, strlen(NO_SYMBOL_NAME));
	if (index >= symbols->size / sizeof(entry))
		return -ENOEXEC;
	err = pp_elf_pread(elf, entry, sizeof(entry), symbols->offset + index * sizeof(entry));
	if (err)
		return err;
	at = pp_elf_get32(elf, entry + offsetof(Elf64_Sym, st_name));
	while (at < strings->size) {
		const uint64_t left = strings->size - at;
		const size_t size = left < sizeof(piece) ? left : sizeof(piece);
		size_t len;

		err = pp_elf_pread(elf, piece, size, strings->offset + at);
		if (err)
			return err;
		len = strnlen(piece, size);
		err = append(text, piece, len);
		if (err || len < size)
			return err;
		at += size;
	}
	return -ENOEXEC;
}

/* Append the name of a stub, as objdump prints it: SYMBOL@plt or SYMBOL+0xADDEND@plt. */
static int append_name(struct text *text, const struct pp_elf *elf,
		       const struct pp_elf_section *symbols, const struct stub *stub)
{
	char addend[32];
	int err = append_symbol(text, elf, symbols, stub->symbol);

	if (!err && stub->addend) {
		snprintf(addend, sizeof(addend), "+0x%" PRIx64, stub->addend);
		err = append(text, addend, strlen(addend));
	}
	return err ? err : append(text, "@plt", sizeof("@plt"));
}

/* Make the symbols of the stubs. A stub whose name cannot be read has no symbol; if all names have
 * more than MAX_NAMES bytes, no stub has one. */
static int make_symbols(struct pp_symbol **ret, size_t *ret_nr, char **ret_names,
			const struct stubs *stubs, const struct pp_elf *elf,
			const struct pp_elf_section *section)
{
	struct pp_symbol *symbols = calloc(stubs->nr_with_symbol + 1, sizeof(*symbols));
	size_t *names = calloc(stubs->nr_with_symbol + 1, sizeof(*names));
	struct text text = { 0 };
	size_t nr = 0;
	int err = symbols && names ? 0 : -ENOMEM;

	for (size_t i = 0; i < stubs->nr && err != -ENOMEM && err != -EFBIG; i++) {
		const struct stub *stub = &stubs->items[i];

		names[nr] = text.nr;
		if (!stub->has_symbol)
			continue;
		err = append_name(&text, elf, section, stub);
		if (err)
			text.nr = names[nr];
		else
			symbols[nr++] = (struct pp_symbol){ .start = stub->start,
							    .end = stub->start,
							    .limit = stub->limit };
	}
	if (err == -EFBIG) {
		free(text.at);
		text.at = NULL;
		nr = 0;
	}
	if (err == -ENOMEM) {
		free(text.at);
		free(symbols);
		free(names);
		return err;
	}
	for (size_t i = 0; i < nr; i++)
		symbols[i].name = text.at + names[i];
	free(names);
	*ret = symbols;
	*ret_nr = nr;
	*ret_names = text.at;
	return 0;
}

int pp_plt_x86_64_read(struct pp_symbol **ret, size_t *nr, char **names, const struct pp_elf *elf)
{
	const struct pp_elf_section *symbols = pp_elf_section_by_type(elf, SHT_DYNSYM);
	struct stubs stubs = { .nr = 0 };
	int err = 0;

	/* a static program has stubs, too, but no names */
	if (symbols && symbols->link < elf->nr_sections &&
	    elf->sections[symbols->link].type == SHT_STRTAB &&
	    symbols->size / sizeof(Elf64_Sym) > 1)
		err = find_stubs(&stubs, elf);
	if (!err && stubs.nr)
		err = find_symbols(&stubs, elf, symbols);
	if (!err)
		err = make_symbols(ret, nr, names, &stubs, elf, symbols);
	free(stubs.items);
	return err;
}
