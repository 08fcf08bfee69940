// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c -- reads rows of table stacks. */
#include "config.h"
#include "pp/store/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "libop/session/path_files.h"
#include "pp/profile/paths.h"
#include "pp/profile/short_titles.h"
#include "pp/source/source.h"
#include "pp/store/query.h"

#define MAX_TEXT	4096	/* maximum length of a frame in bytes, and its NUL */
#define MAX_CHAIN	(64u << 20)	/* maximum number of frames of all stacks */
#define MAX_STRINGS	(256u << 20)	/* maximum number of bytes of different frames and programs */
#define NO_SYMBOL	"[no symbol]"
#define PATH_ENDS	"[path ends: "

struct store_text {
	uint64_t hash;
	const char *text;	/* NULL: the slot is free */
	uint32_t frame;
};

struct reader {
	struct store_stacks s;
	struct pp_names *names;
	size_t nr_bytes;	/* number of bytes of different frames and programs */
	size_t nr_rows;
};

/* Return the reason with the text "WORDS]" of "[path ends: WORDS]". */
static uint16_t reason_of(const char *text)
{
	const size_t len = strlen(text);

	for (uint16_t how = 0; how < UINT8_MAX; how++) {
		const char *words = op_path_end_words(how);

		if (words && len && strlen(words) == len - 1 && !strncmp(words, text, len - 1))
			return how;
	}
	return PP_SOURCE_CALLER_UNKNOWN;
}

/* Set *@ret to the frame without a binary with the name @name. */
static void special_frame(struct store_frame *ret, const char *name)
{
	*ret = (struct store_frame){ .kind = STORE_UNKNOWN };
	if (!strncmp(name, PATH_ENDS, strlen(PATH_ENDS)))
		*ret = (struct store_frame){ .kind = STORE_END,
					     .how = reason_of(name + strlen(PATH_ENDS)) };
	else if (!strcmp(name, pp_place_word(PP_PLACE_FOLDED)))
		ret->kind = STORE_FOLDED;
	else if (!strcmp(name, pp_place_word(PP_PLACE_LOST)))
		ret->kind = STORE_LOST;
	else if (!strcmp(name, pp_place_word(PP_PLACE_NO_PATH)))
		ret->kind = STORE_NO_PATH;
}

/* If @name is the address of code without a symbol, "0x1234" or "+0x1234", set *@ret to it. */
static bool parse_address(const char *name, uint64_t *ret)
{
	char *end;

	name += *name == '+';
	if (strncmp(name, "0x", 2) || !name[2])
		return false;
	errno = 0;
	*ret = strtoull(name, &end, 16);
	return !*end && !errno;
}

/* Split "NAME\tBINARY\tBUILD-ID". A text of another form is a name. */
static void split(char *text, const char **binary, const char **id)
{
	char *last = strrchr(text, '\t'), *first;

	*binary = *id = "";
	if (!last)
		return;
	*last = '\0';
	first = strrchr(text, '\t');
	if (!first)
		return;
	*first = '\0';
	*binary = first + 1;
	*id = last + 1;
}

static int make_frame(struct reader *r, struct store_frame *ret, const char *from)
{
	struct store_frame frame = { .kind = STORE_CODE };
	char text[MAX_TEXT];
	const char *binary, *id;
	int err;

	strcpy(text, from);
	split(text, &binary, &id);
	if (!*binary) {
		special_frame(ret, text);
		return 0;
	}
	err = pp_names_image(r->names, binary, id, &frame.image);
	if (!err && parse_address(text, &frame.key))
		r->names->images[frame.image].was_missing |= *text == '+';
	else if (!err && strcmp(text, NO_SYMBOL))
		err = pp_names_symbol(r->names, frame.image, text, &frame.key);
	*ret = frame;
	return err;
}

static struct store_text *slot_of(struct store_text *texts, size_t nr, uint64_t hash,
				  const char *text)
{
	for (size_t i = hash ^ hash >> 32;; i++) {
		struct store_text *slot = &texts[i & (nr - 1)];

		if (!slot->text || (slot->hash == hash && !strcmp(slot->text, text)))
			return slot;
	}
}

static int grow_texts(struct store_stacks *s)
{
	const size_t nr = s->nr_texts ? 2 * s->nr_texts : 1024;
	struct store_text *texts = calloc(nr, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	for (size_t i = 0; i < s->nr_texts; i++)
		if (s->texts[i].text)
			*slot_of(texts, nr, s->texts[i].hash, s->texts[i].text) = s->texts[i];
	free(s->texts);
	s->texts = texts;
	s->nr_texts = nr;
	return 0;
}

/* Find or add the frame @text, and set *@ret to its index. */
static int add_frame(struct reader *r, const char *text, uint32_t *ret)
{
	struct store_stacks *s = &r->s;
	const uint64_t hash = op_hash_text(OP_HASH_BEGIN, text);
	struct store_text *slot;
	int err = 0;

	if (2 * s->nr_frames >= s->nr_texts && grow_texts(s))
		return -ENOMEM;
	slot = slot_of(s->texts, s->nr_texts, hash, text);
	if (!slot->text) {
		const char *kept = pp_strings_add(&s->strings, text);

		if (!kept || op_grow(&s->frames, s->nr_frames))
			return -ENOMEM;
		err = make_frame(r, &s->frames[s->nr_frames], text);
		if (err)
			return err;
		*slot = (struct store_text){ hash, kept, (uint32_t)s->nr_frames++ };
		r->nr_bytes += strlen(text) + 1;
	}
	*ret = slot->frame;
	return 0;
}

/* Set the program of @stack from its first frame @text: "NAME\tPATH\tBUILD-ID". */
static int set_program(struct reader *r, struct store_stack *stack, char *text)
{
	const char *path, *id, *name;
	size_t nr;
	int err;

	split(text, &path, &id);
	if (!*path)
		path = *text ? text : "?";
	/* most stacks of a program are the same path, so count only new images */
	nr = r->names->nr;
	name = pp_short_name(path);
	stack->is_unit = strcmp(stack->service, name) && strcmp(stack->service, text);
	/* the build of the program is that of the image with its functions, if it has any */
	err = pp_names_image(r->names, path, id, &stack->program);
	if (r->names->nr > nr)
		r->nr_bytes += strlen(path) + strlen(id) + sizeof(*r->names->images);
	return err;
}

static int read_row(struct reader *r, struct store_rows *rows)
{
	struct store_stacks *s = &r->s;
	struct store_stack stack = { .frame = (uint32_t)s->nr_chain };
	char text[MAX_TEXT];
	uint32_t nr;
	int err = 0;

	store_string(rows, text, sizeof(text));
	stack.service = pp_intern(&s->intern, &s->strings, text);
	if (!stack.service)
		return -ENOMEM;
	stack.id = store_u64(rows);
	nr = store_nr_elements(rows);
	for (uint32_t i = 0; i < nr && !rows->is_bad && !err; i++) {
		uint32_t frame = 0;

		store_string(rows, text, sizeof(text));
		if (rows->is_bad)
			break;
		err = i ? add_frame(r, text, &frame) : set_program(r, &stack, text);
		if (!err && i && op_grow(&s->chain, s->nr_chain))
			err = -ENOMEM;
		if (!err && i)
			s->chain[s->nr_chain++] = frame;
	}
	if (err || rows->is_bad || nr < 2)
		return err;
	stack.nr = nr - 1;
	if (op_grow(&s->items, s->nr))
		return -ENOMEM;
	s->items[s->nr++] = stack;
	return 0;
}

static int compare_stacks(const void *a, const void *b)
{
	const struct store_stack *x = a, *y = b;
	int order = op_compare_u64(x->id, y->id);

	return order ? order : strcmp(x->service, y->service);
}

int store_stacks_read(struct store_stacks *ret, struct pp_names *names, struct store_rows *rows,
		      struct op_reason *error)
{
	struct reader r = { .names = names };
	int err = 0;

	while (!err && store_next_row(rows)) {
		if (r.nr_rows++ == STORE_MAX_STACKS)
			err = op_fail(error, -E2BIG, "the report needs more than %u stacks: choose a "
				      "service (service:NAME), a host (host:NAME), or a shorter time",
				      STORE_MAX_STACKS);
		if (!err)
			err = read_row(&r, rows);
		if (!err && (r.nr_bytes > MAX_STRINGS || r.s.nr_chain > MAX_CHAIN))
			err = op_fail(error, -E2BIG, "the stacks of these samples need too much "
				      "memory: choose a service (service:NAME), a host, or a shorter "
				      "time");
	}
	if (!err && rows->is_bad)
		err = op_fail(error, -EPROTO, "the answer of the server is damaged, or not from "
			      "tables of opexport");
	if (err) {
		store_stacks_release(&r.s);
		return err;
	}
	if (r.s.nr)
		qsort(r.s.items, r.s.nr, sizeof(*r.s.items), compare_stacks);
	*ret = r.s;
	return 0;
}

const struct store_stack *store_stack_find(const struct store_stacks *stacks, const char *service,
					   uint64_t id)
{
	const struct store_stack key = { .service = service, .id = id };

	return stacks->nr ? bsearch(&key, stacks->items, stacks->nr, sizeof(key), compare_stacks) :
			    NULL;
}

void store_stacks_release(struct store_stacks *s)
{
	free(s->items);
	free(s->frames);
	free(s->chain);
	free(s->texts);
	pp_intern_release(&s->intern);
	pp_block_free(s->strings);
	*s = (struct store_stacks){ .items = NULL };
}
