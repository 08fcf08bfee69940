// SPDX-License-Identifier: GPL-2.0-or-later
/* disasm.c -- disassembly of single instructions by libopcodes. */
#include "config.h"
#include "pp/image/disasm.h"

#include <bfd.h>
#include <dis-asm.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* maximum length of an instruction's text in bytes; longer text is cut; the longest text of x86 has
 * about 120 bytes */
#define MAX_TEXT 512

/* A machine whose code libopcodes can disassemble. */
struct arch {
	uint16_t machine;
	bool is64;
	enum bfd_architecture arch;
	unsigned long mach;
	const char *library; /* Debian's name of the architecture, in libopcodes-VERSION-NAME.so */
	const char *package;
	const char *words;	/* the words that objdump -M accepts, separated by commas */
};

#define X86_WORDS                                                                              \
	"att,intel,att-mnemonic,intel-mnemonic,x86-64,i386,i8086,amd64,intel64,addr64,addr32," \
	"addr16,data32,data16,suffix"
#define ARM_WORDS "aliases,no-aliases,notes,no-notes"

static const struct arch arches[] = {
	{EM_X86_64, 1, bfd_arch_i386, bfd_mach_x86_64, "amd64", "binutils-x86-64-linux-gnu",
	 X86_WORDS},
	{EM_X86_64, 0, bfd_arch_i386, bfd_mach_x64_32, "amd64", "binutils-x86-64-linux-gnu",
	 X86_WORDS},
	{EM_386, 0, bfd_arch_i386, bfd_mach_i386_i386, "i386", "binutils-i686-linux-gnu",
	 X86_WORDS},
	{EM_AARCH64, 1, bfd_arch_aarch64, bfd_mach_aarch64, "arm64", "binutils-aarch64-linux-gnu",
	 ARM_WORDS},
	{EM_AARCH64, 0, bfd_arch_aarch64, bfd_mach_aarch64_ilp32, "arm64",
	 "binutils-aarch64-linux-gnu", ARM_WORDS},
	{EM_ARM, 0, bfd_arch_arm, bfd_mach_arm_unknown, "armhf", "binutils-arm-linux-gnueabihf",
	 ""},
	{EM_PPC64, 1, bfd_arch_powerpc, bfd_mach_ppc64, "ppc64el",
	 "binutils-powerpc64le-linux-gnu", ""},
	{EM_S390, 1, bfd_arch_s390, bfd_mach_s390_64, "s390x", "binutils-s390x-linux-gnu", ""},
	{EM_RISCV, 1, bfd_arch_riscv, bfd_mach_riscv64, "riscv64", "binutils-riscv64-linux-gnu",
	 ""},
};

#define NR_ARCHES (sizeof(arches) / sizeof(arches[0]))

/* Addresses of functions in one build of the library libopcodes. */
struct library {
	/* handle from dlopen(); NULL: the library with which the program is linked */
	void *handle;
	__typeof__(disassembler) *find;
	__typeof__(init_disassemble_info) *init;
	__typeof__(disassemble_init_for_target) *init_target;
	__typeof__(disassemble_free_target) *free_target;
};

struct pp_disasm {
	struct pp_disasm_options options;
	struct library library;
	/* parameters for libopcodes; .application_data points to this struct pp_disasm */
	struct disassemble_info info;
	disassembler_ftype insn;
	const uint8_t *code;		/* machine code, from the current instruction on */
	size_t size;
	uint64_t vma;
	bool truncated;			/* the machine code ends in the middle of the instruction */
	size_t len;			/* length of .text, the text of the instruction */
	char text[MAX_TEXT];
};

static const struct arch *find_arch(uint16_t machine, bool is64)
{
	for (size_t i = 0; i < NR_ARCHES; i++)
		if (arches[i].machine == machine && arches[i].is64 == is64)
			return &arches[i];
	return NULL;
}

static const struct arch *any_arch(uint16_t machine)
{
	const struct arch *arch = find_arch(machine, 1);

	return arch ? arch : find_arch(machine, 0);
}

const char *pp_disasm_package(uint16_t machine)
{
	const struct arch *arch = any_arch(machine);

	return arch ? arch->package : NULL;
}

const char *pp_disasm_words(uint16_t machine)
{
	const struct arch *arch = any_arch(machine);

	return arch ? arch->words : "";
}

static bool in_list(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

const char *pp_disasm_bad_word(uint16_t machine, const char *words)
{
	const char *known = pp_disasm_words(machine);

	while (words && *words) {
		size_t len = strcspn(words, ",");

		if (!in_list(known, words, len))
			return words;
		words += len + (words[len] == ',');
	}
	return NULL;
}

static void append_text(struct pp_disasm *d, const char *text, size_t n)
{
	size_t room = MAX_TEXT - 1 - d->len;

	if (n > room)
		n = room;
	memcpy(d->text + d->len, text, n);
	d->len += n;
	d->text[d->len] = '\0';
}

/* Append formatted text to the instruction's text. Copy plain strings, the most frequent case,
 * without vsnprintf(), which is slower. */
static void append(struct pp_disasm *d, const char *fmt, va_list ap)
{
	int len;

	if (!strcmp(fmt, "%s")) {
		const char *text = va_arg(ap, const char *);

		append_text(d, text, strlen(text));
		return;
	}
	if (!strcmp(fmt, "%.*s")) {
		int n = va_arg(ap, int);
		const char *text = va_arg(ap, const char *);

		append_text(d, text, strnlen(text, n < 0 ? MAX_TEXT : n));
		return;
	}
	if (!strchr(fmt, '%')) {
		append_text(d, fmt, strlen(fmt));
		return;
	}
	len = vsnprintf(d->text + d->len, MAX_TEXT - d->len, fmt, ap);
	if (len > 0)
		d->len = (size_t)len < MAX_TEXT - d->len ? d->len + len : MAX_TEXT - 1;
}

static int print(void *stream, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(stream, fmt, ap);
	va_end(ap);
	return 0;
}

#ifdef HAVE_STYLED_DISASM
static int print_styled(void *stream, enum disassembler_style style, const char *fmt, ...)
{
	va_list ap;

	(void)style;
	va_start(ap, fmt);
	append(stream, fmt, ap);
	va_end(ap);
	return 0;
}
#endif

static int read_code(bfd_vma vma, bfd_byte *buf, unsigned int len, struct disassemble_info *info)
{
	struct pp_disasm *d = info->application_data;

	if (vma < d->vma || vma - d->vma > d->size || len > d->size - (vma - d->vma)) {
		d->truncated = 1;
		return EIO;
	}
	memcpy(buf, d->code + (vma - d->vma), len);
	return 0;
}

/* Ignore a read beyond the available bytes. .truncated already records that the bytes end. */
static void ignore_memory_error(int status, bfd_vma vma, struct disassemble_info *info)
{
	(void)status;
	(void)vma;
	(void)info;
}

static void print_address(bfd_vma vma, struct disassemble_info *info)
{
	struct pp_disasm *d = info->application_data;
	uint64_t offset = 0;
	const char *name = NULL;

	if (d->options.name_at)
		name = d->options.name_at(d->options.arg, vma, &offset);
	if (name && offset)
		print(d, "%" PRIx64 " <%s+0x%" PRIx64 ">", (uint64_t)vma, name, offset);
	else if (name)
		print(d, "%" PRIx64 " <%s>", (uint64_t)vma, name);
	else
		print(d, "0x%" PRIx64, (uint64_t)vma);
}

/* Return the path of libopcodes for another architecture, in the directory of the library in use:
 * .../libopcodes-2.40-system.so -> ...-arm64.so. */
static char *sister_path(const struct arch *arch)
{
	Dl_info self;
	const char *name, *end;
	char *path;

	if (!dladdr((void *)(uintptr_t)&init_disassemble_info, &self) || !self.dli_fname)
		return NULL;
	name = strstr(self.dli_fname, "libopcodes-");
	end = name ? strrchr(name, '-') : NULL;
	if (!end || end < name + strlen("libopcodes-") ||
	    asprintf(&path, "%.*s-%s.so", (int)(end - self.dli_fname), self.dli_fname,
		     arch->library) < 0)
		return NULL;
	return path;
}

static int load_sister(struct library *ret, const struct arch *arch)
{
	char *path = sister_path(arch);
	struct library library = { 0 };

	library.handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	free(path);
	if (!library.handle)
		return -ENOTSUP;
	library.find = dlsym(library.handle, "disassembler");
	library.init = dlsym(library.handle, "init_disassemble_info");
	library.init_target = dlsym(library.handle, "disassemble_init_for_target");
	library.free_target = dlsym(library.handle, "disassemble_free_target");
	if (!library.find || !library.init || !library.init_target || !library.free_target) {
		dlclose(library.handle);
		return -ENOTSUP;
	}
	*ret = library;
	return 0;
}

static disassembler_ftype find_insn(const struct library *library, const struct arch *arch,
				    bool big_endian)
{
	return library->find(arch->arch, big_endian, arch->mach, NULL);
}

static int choose_library(struct pp_disasm *d, const struct arch *arch)
{
	int err;

	d->library = (struct library){
		.find = disassembler,
		.init = init_disassemble_info,
		.init_target = disassemble_init_for_target,
		.free_target = disassemble_free_target,
	};
	d->insn = find_insn(&d->library, arch, d->options.big_endian);
	if (d->insn)
		return 0;
	err = load_sister(&d->library, arch);
	if (err)
		return err;
	d->insn = find_insn(&d->library, arch, d->options.big_endian);
	if (d->insn)
		return 0;
	dlclose(d->library.handle);
	return -ENOTSUP;
}

int pp_disasm_create(struct pp_disasm **ret, const struct pp_disasm_options *options)
{
	const struct arch *arch = find_arch(options->machine, options->is64);
	struct pp_disasm *d;
	int err;

	if (!arch)
		return -ENOTSUP;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->options = *options;
	err = choose_library(d, arch);
	if (err) {
		free(d);
		return err;
	}
#ifdef HAVE_STYLED_DISASM
	d->library.init(&d->info, d, print, print_styled);
#else
	d->library.init(&d->info, d, print);
#endif
	d->info.application_data = d;
	d->info.flavour = bfd_target_elf_flavour;
	d->info.arch = arch->arch;
	d->info.mach = arch->mach;
	d->info.endian = options->big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	d->info.endian_code = d->info.endian;
	d->info.disassembler_options = options->words;
	d->info.read_memory_func = read_code;
	d->info.memory_error_func = ignore_memory_error;
	d->info.print_address_func = print_address;
	d->library.init_target(&d->info);
	*ret = d;
	return 0;
}

void pp_disasm_destroy(struct pp_disasm *disasm)
{
	if (!disasm)
		return;
	disasm->library.free_target(&disasm->info);
	if (disasm->library.handle)
		dlclose(disasm->library.handle);
	free(disasm);
}

static void print_bytes(struct pp_disasm *d, const uint8_t *code, size_t size)
{
	d->len = 0;
	print(d, ".byte ");
	for (size_t i = 0; i < size; i++)
		print(d, "%s0x%x", i ? "," : "", code[i]);
}

size_t pp_disasm_insn(struct pp_disasm *d, const uint8_t *code, size_t size, uint64_t vma,
		      const char **text)
{
	int len;

	d->code = code;
	d->size = size;
	d->vma = vma;
	d->truncated = 0;
	d->len = 0;
	d->text[0] = '\0';
	len = d->insn(vma, &d->info);
	if (len <= 0 || (size_t)len > size) {
		/* Print all remaining bytes of a truncated instruction, which are fewer than 16.
		 * Otherwise the byte does not begin an instruction: print only that byte. */
		len = d->truncated && size < 16 ? size : 1;
		print_bytes(d, code, len);
	}
	while (d->len && strchr(" \t", d->text[d->len - 1]))
		d->text[--d->len] = '\0';
	*text = d->text;
	return len;
}
