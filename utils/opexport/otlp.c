// SPDX-License-Identifier: GPL-2.0-or-later
/* otlp.c -- encodes rows as OTLP's profiles, and decodes the answer of a collector. */
#include "config.h"
#include "utils/opexport/otlp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/event/spec.h"

#define NS_PER_S	1000000000u
#define ID_SIZE		16	/* bytes of the id of a profile */

/* Numbers of fields, of version 1.10 of opentelemetry-proto. */
enum request_field { REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY };
enum resource_profiles_field { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES };
enum resource_field { RESOURCE_ATTRIBUTES = 1 };
enum key_value_field { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum any_value_field { ANY_VALUE_STRING = 1 };
enum scope_profiles_field { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum scope_field { SCOPE_NAME = 1, SCOPE_VERSION };
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLES, PROFILE_TIME, PROFILE_DURATION,
	PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_ID, PROFILE_ATTRIBUTES = 11,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum sample_field { SAMPLE_STACK = 1, SAMPLE_VALUES = 4 };
enum mapping_field { MAPPING_FILE = 4, MAPPING_ATTRIBUTES };
enum stack_field { STACK_LOCATIONS = 1 };
enum location_field { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINES };
enum line_field { LINE_FUNCTION = 1 };
enum function_field { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum attribute_field { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum response_field { RESPONSE_PARTIAL = 1 };
enum partial_field { PARTIAL_REJECTED = 1, PARTIAL_MESSAGE };
enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

/* A table of the dictionary: distinct elements, which other messages refer to by their number.
 * Element 0 is empty, and stands for a reference that is not set. */
struct table {
	struct pp_message out;	/* the elements as fields of the dictionary */
	struct element {
		uint64_t hash;
		size_t at, len;	/* place of the contents in .out */
	} *elements;
	size_t nr;
	uint32_t *slots;	/* hash table of numbers of elements + 1; 0: free */
	size_t nr_slots;	/* 0 or a power of two */
};

/* The tables, by the number of their field in the dictionary. */
enum { MAPPINGS = 1, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS, NR_TABLES };

struct export_otlp {
	struct export_otlp_input in;
	uint64_t limit;			/* T of thin.h */
	size_t next;			/* number of the next row */
	size_t nr_thinned;
	struct table tables[NR_TABLES];
	/* location of each frame of the rows in the current request; 0: not made yet */
	uint32_t *location_of;
	uint64_t *stack;		/* locations of a stack */
	size_t stack_size;		/* number of frames of the deepest stack */
	/* messages that are being composed; .profile has the samples of the current profile */
	struct pp_message request, profile, whole, inside, value;
	const struct export_row *first;	/* first row of the current profile; NULL: no profile */
	bool failed;			/* memory was short */
};

static void table_clear(struct table *t)
{
	pp_message_clear(&t->out);
	t->nr = 0;
	if (t->slots)
		memset(t->slots, 0, t->nr_slots * sizeof(*t->slots));
}

static void table_release(struct table *t)
{
	pp_message_release(&t->out);
	free(t->elements);
	free(t->slots);
}

/* Enlarge the hash table, so that at least half of its slots stay free. */
static int table_rehash(struct table *t)
{
	const size_t nr = t->nr_slots ? 2 * t->nr_slots : 64;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr; i++) {
		size_t at = t->elements[i].hash & (nr - 1);

		while (slots[at])
			at = (at + 1) & (nr - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nr_slots = nr;
	return 0;
}

/* Return the number of the element with these contents in the table @number, and add it if it is
 * new. Set o->failed if memory is short. */
static uint64_t intern(struct export_otlp *o, unsigned int number, const void *data, size_t len)
{
	struct table *t = &o->tables[number];
	const uint64_t hash = op_hash_number(op_hash_bytes(OP_HASH_BEGIN, data, len), len);
	size_t at;

	if (o->failed || (2 * t->nr >= t->nr_slots && table_rehash(t)) || t->nr >= INT32_MAX) {
		o->failed = true;
		return 0;
	}
	for (at = hash & (t->nr_slots - 1); t->slots[at]; at = (at + 1) & (t->nr_slots - 1)) {
		const struct element *e = &t->elements[t->slots[at] - 1];

		if (e->hash == hash && e->len == len &&
		    (!len || !memcmp(t->out.bytes + e->at, data, len)))
			return t->slots[at] - 1;
	}
	pp_message_add_bytes(&t->out, number, data, len);
	if (t->out.failed || op_grow(&t->elements, t->nr)) {
		o->failed = true;
		return 0;
	}
	t->elements[t->nr] = (struct element){ .hash = hash, .at = t->out.nr - len, .len = len };
	t->slots[at] = (uint32_t)t->nr + 1;
	return t->nr++;
}

static uint64_t intern_message(struct export_otlp *o, unsigned int number,
			       const struct pp_message *m)
{
	if (m->failed)
		o->failed = true;
	return intern(o, number, m->bytes, m->nr);
}

static uint64_t intern_string(struct export_otlp *o, const char *text, size_t len)
{
	return intern(o, STRINGS, text, len);
}

static uint64_t intern_text(struct export_otlp *o, const char *text)
{
	return intern_string(o, text, strlen(text));
}

static uint64_t intern_attribute(struct export_otlp *o, const char *key, const char *text,
				 size_t len)
{
	const uint64_t name = intern_text(o, key);

	pp_message_clear(&o->value);
	pp_message_add_bytes(&o->value, ANY_VALUE_STRING, text, len);
	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, ATTRIBUTE_KEY, name);
	pp_message_add_message(&o->inside, ATTRIBUTE_VALUE, &o->value);
	return intern_message(o, ATTRIBUTES, &o->inside);
}

/* Return the number of the mapping of a binary; 0 if the binary is unknown. The name and the
 * build-id have no NUL. */
static uint64_t intern_mapping(struct export_otlp *o, const char *binary, size_t len,
			       const char *build_id)
{
	uint64_t file, id = 0;

	if (!len)
		return 0;
	file = intern_string(o, binary, len);
	if (*build_id)
		id = intern_attribute(o, "process.executable.build_id.gnu", build_id,
				      strlen(build_id));
	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, MAPPING_FILE, file);
	if (id)
		pp_message_add_packed(&o->inside, MAPPING_ATTRIBUTES, &id, 1);
	return intern_message(o, MAPPINGS, &o->inside);
}

/* Return the number of the location of a frame, "NAME\tBINARY\tBUILD-ID". The name of code without
 * a symbol is its address. */
static uint64_t intern_location(struct export_otlp *o, const char *text)
{
	const size_t name_len = strcspn(text, "\t");
	const char *binary = text + name_len + (text[name_len] == '\t');
	const size_t binary_len = strcspn(binary, "\t");
	const char *build_id = binary + binary_len + (binary[binary_len] == '\t');
	const uint64_t mapping = intern_mapping(o, binary, binary_len, build_id);
	uint64_t name = intern_string(o, text, name_len), function;
	const uint64_t address = strncmp(text, "0x", 2) ? 0 : strtoull(text, NULL, 16);

	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, FUNCTION_NAME, name);
	function = intern_message(o, FUNCTIONS, &o->inside);
	pp_message_clear(&o->value);
	pp_message_add_uint(&o->value, LINE_FUNCTION, function);
	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, LOCATION_MAPPING, mapping);
	pp_message_add_uint(&o->inside, LOCATION_ADDRESS, address);
	pp_message_add_message(&o->inside, LOCATION_LINES, &o->value);
	return intern_message(o, LOCATIONS, &o->inside);
}

/* Return the number of the stack that ends with the frame @frame. The last frame is first. */
static uint64_t intern_stack(struct export_otlp *o, uint32_t frame)
{
	const struct export_frame *frames = o->in.rows->frames;
	size_t nr = 0;

	for (; frame != UINT32_MAX; frame = frames[frame].parent) {
		if (!o->location_of[frame])
			o->location_of[frame] = (uint32_t)intern_location(o, frames[frame].text);
		o->stack[nr++] = o->location_of[frame];
	}
	pp_message_clear(&o->inside);
	pp_message_add_packed(&o->inside, STACK_LOCATIONS, o->stack, nr);
	return intern_message(o, STACKS, &o->inside);
}

/* Begin a request with an empty dictionary. */
static void begin_request(struct export_otlp *o)
{
	pp_message_clear(&o->request);
	memset(o->location_of, 0, (o->in.rows->nr_frames + 1) * sizeof(*o->location_of));
	for (unsigned int i = MAPPINGS; i < NR_TABLES; i++) {
		table_clear(&o->tables[i]);
		intern(o, i, "", 0);
	}
}

static size_t request_size(const struct export_otlp *o)
{
	size_t size = o->request.nr + o->profile.nr;

	for (unsigned int i = MAPPINGS; i < NR_TABLES; i++)
		size += o->tables[i].out.nr;
	return size;
}

/* Add an attribute to the resource in o->whole, unless @text is empty. */
static void add_attribute(struct export_otlp *o, const char *key, const char *text)
{
	char clean[OP_CLEAN_MAX];

	if (!*text)
		return;
	pp_message_clear(&o->value);
	pp_message_add_string(&o->value, ANY_VALUE_STRING, op_clean(clean, sizeof(clean), text));
	pp_message_clear(&o->inside);
	pp_message_add_string(&o->inside, KEY_VALUE_KEY, key);
	pp_message_add_message(&o->inside, KEY_VALUE_VALUE, &o->value);
	pp_message_add_message(&o->whole, RESOURCE_ATTRIBUTES, &o->inside);
}

static void add_value_type(struct export_otlp *o, unsigned int field, const char *type,
			   const char *unit)
{
	const uint64_t t = intern_text(o, type), u = intern_text(o, unit);

	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, VALUE_TYPE_TYPE, t);
	pp_message_add_uint(&o->inside, VALUE_TYPE_UNIT, u);
	pp_message_add_message(&o->profile, field, &o->inside);
}

/* Add the id of the profile: the same in each export of the interval, and different from the ids of
 * all other profiles. */
static void add_id(struct export_otlp *o)
{
	const struct export_row *row = o->first;
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, o->in.host->machine);
	uint8_t id[ID_SIZE];

	hash = op_hash_text(op_hash_number(hash, 1), o->in.host->name);
	hash = op_hash_text(op_hash_number(hash, 2), o->in.entry->name);
	hash = op_hash_text(op_hash_number(hash, 3), row->event);
	hash = op_hash_text(op_hash_number(hash, 4), row->service);
	hash = op_hash_text(op_hash_number(hash, 5), row->version);
	hash = op_hash_number(hash, row->stack);
	for (unsigned int i = 0; i < ID_SIZE; i++) {
		if (i % 8 == 0)
			hash = op_hash_number(hash, i + 1);
		id[i] = (uint8_t)(hash >> 8 * (i % 8));
	}
	pp_message_add_bytes(&o->profile, PROFILE_ID, id, sizeof(id));
}

/* Complete the message of the current profile, which has its samples. */
static void add_about(struct export_otlp *o)
{
	const struct export_row *row = o->first;
	const struct pp_class *class = &o->in.classes->items[row->class];
	const struct itv_entry *entry = o->in.entry;
	uint64_t event;

	add_value_type(o, PROFILE_SAMPLE_TYPE, "samples", "count");
	pp_message_add_fixed64(&o->profile, PROFILE_TIME, (uint64_t)entry->begin * NS_PER_S);
	pp_message_add_uint(&o->profile, PROFILE_DURATION,
			    (uint64_t)(entry->end - entry->begin) * NS_PER_S);
	if (!strcmp(class->event, OP_EVENT_TIMER))
		add_value_type(o, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
	else if (!strcmp(class->event, OP_EVENT_OFFCPU))
		add_value_type(o, PROFILE_PERIOD_TYPE, "off_cpu", "nanoseconds");
	else
		add_value_type(o, PROFILE_PERIOD_TYPE, class->event, "count");
	pp_message_add_uint(&o->profile, PROFILE_PERIOD, class->count);
	add_id(o);
	event = intern_attribute(o, "oprofile.event", row->event, strlen(row->event));
	pp_message_add_packed(&o->profile, PROFILE_ATTRIBUTES, &event, 1);
}

/* Add the current profile, with its resource, to the request. */
static void end_profile(struct export_otlp *o)
{
	struct pp_message scope = { .bytes = NULL }, all = { .bytes = NULL };

	if (!o->first)
		return;
	add_about(o);
	pp_message_clear(&o->whole);
	add_attribute(o, "service.name", o->first->service);
	add_attribute(o, "service.version", o->first->version);
	add_attribute(o, "container.id", o->first->container);
	add_attribute(o, "host.name", o->in.host->name);
	add_attribute(o, "host.id", o->in.host->machine);
	pp_message_add_message(&all, RESOURCE_PROFILES_RESOURCE, &o->whole);
	pp_message_clear(&o->inside);
	pp_message_add_string(&o->inside, SCOPE_NAME, "oprofile");
	pp_message_add_string(&o->inside, SCOPE_VERSION, PACKAGE_VERSION);
	pp_message_add_message(&scope, SCOPE_PROFILES_SCOPE, &o->inside);
	pp_message_add_message(&scope, SCOPE_PROFILES_PROFILES, &o->profile);
	pp_message_add_message(&all, RESOURCE_PROFILES_SCOPES, &scope);
	pp_message_add_message(&o->request, REQUEST_RESOURCE_PROFILES, &all);
	pp_message_release(&scope);
	pp_message_release(&all);
	pp_message_clear(&o->profile);
	o->first = NULL;
}

/* Add the dictionary to the request. */
static void end_request(struct export_otlp *o)
{
	pp_message_clear(&o->whole);
	for (unsigned int i = MAPPINGS; i < NR_TABLES; i++)
		pp_message_append(&o->whole, &o->tables[i].out);
	pp_message_add_message(&o->request, REQUEST_DICTIONARY, &o->whole);
	if (o->request.failed)
		o->failed = true;
}

static bool is_same_profile(const struct export_row *a, const struct export_row *b)
{
	return a->class == b->class && a->service == b->service && a->version == b->version &&
	       a->container == b->container;
}

static void add_row(struct export_otlp *o, const struct export_row *row, uint64_t count,
		    struct export_otlp_request *request)
{
	uint64_t stack;

	if (!o->first || !is_same_profile(o->first, row)) {
		end_profile(o);
		o->first = row;
		request->nr_profiles++;
	}
	stack = intern_stack(o, row->frame);
	pp_message_clear(&o->inside);
	pp_message_add_uint(&o->inside, SAMPLE_STACK, stack);
	pp_message_add_packed(&o->inside, SAMPLE_VALUES, &count, 1);
	pp_message_add_message(&o->profile, PROFILE_SAMPLES, &o->inside);
	request->nr_rows++;
	request->sent += count;
}

int export_otlp_next(struct export_otlp *o, struct export_otlp_request *ret)
{
	struct export_otlp_request request = { .message = &o->request };
	const struct export_rows *rows = o->in.rows;

	begin_request(o);
	for (; o->next < rows->nr && !o->failed; o->next++) {
		const struct export_row *row = &rows->rows[o->next];
		const uint64_t count = export_row_count(row, o->limit, o->in.host, o->in.entry);

		if (!count) {
			o->nr_thinned++;
			continue;
		}
		if (request.nr_rows && request_size(o) >= o->in.max_size)
			break;
		add_row(o, row, count, &request);
	}
	end_profile(o);
	end_request(o);
	if (o->failed)
		return -ENOMEM;
	if (!request.nr_rows)
		return 0;
	*ret = request;
	return 1;
}

size_t export_otlp_thinned(const struct export_otlp *o)
{
	return o->nr_thinned;
}

/* Return the number of frames of the deepest stack. A frame's number is larger than its
 * parent's. */
static int measure_stacks(size_t *ret, const struct export_rows *rows)
{
	uint32_t *depth = calloc(rows->nr_frames + 1, sizeof(*depth));
	size_t max = 0;

	if (!depth)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr_frames; i++) {
		const uint32_t parent = rows->frames[i].parent;

		depth[i] = 1 + (parent == UINT32_MAX ? 0 : depth[parent]);
		max = depth[i] > max ? depth[i] : max;
	}
	free(depth);
	*ret = max;
	return 0;
}

int export_otlp_create(struct export_otlp **ret, const struct export_otlp_input *input)
{
	struct export_otlp *o = calloc(1, sizeof(*o));
	int err = o ? 0 : -ENOMEM;

	if (!err) {
		o->in = *input;
		err = export_rows_limit(&o->limit, input->rows, input->max_rows);
	}
	if (!err)
		err = measure_stacks(&o->stack_size, input->rows);
	if (!err) {
		o->stack = calloc(o->stack_size + 1, sizeof(*o->stack));
		o->location_of = calloc(input->rows->nr_frames + 1, sizeof(*o->location_of));
		err = o->stack && o->location_of ? 0 : -ENOMEM;
	}
	if (err)
		export_otlp_destroy(o);
	else
		*ret = o;
	return err;
}

void export_otlp_destroy(struct export_otlp *o)
{
	if (!o)
		return;
	for (unsigned int i = MAPPINGS; i < NR_TABLES; i++)
		table_release(&o->tables[i]);
	pp_message_release(&o->request);
	pp_message_release(&o->profile);
	pp_message_release(&o->whole);
	pp_message_release(&o->inside);
	pp_message_release(&o->value);
	free(o->location_of);
	free(o->stack);
	free(o);
}

/* A position in a message that is being parsed. */
struct reader {
	const uint8_t *at, *end;
};

static int read_varint(struct reader *r, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
		const uint8_t byte = *r->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return 0;
		}
	}
	return -EINVAL;
}

/* Read the next field. *@number: the value of a number. *@inside: the contents of a string or
 * message. Return the number of the field, 0 at the end of the message, or -EINVAL. */
static int read_field(struct reader *r, enum wire *wire, uint64_t *number, struct reader *inside)
{
	uint64_t key, len;

	if (r->at == r->end)
		return 0;
	if (read_varint(r, &key) || !(key >> 3) || key >> 3 > INT32_MAX)
		return -EINVAL;
	*wire = key & 7;
	if (*wire == WIRE_VARINT)
		return read_varint(r, number) ? -EINVAL : (int)(key >> 3);
	len = *wire == WIRE_FIXED64 ? 8 : 4;
	if (*wire == WIRE_LENGTH ? read_varint(r, &len) != 0 :
				   *wire != WIRE_FIXED64 && *wire != WIRE_FIXED32)
		return -EINVAL;
	if (len > (uint64_t)(r->end - r->at))
		return -EINVAL;
	*inside = (struct reader){ r->at, r->at + len };
	r->at += len;
	return (int)(key >> 3);
}

static int parse_partial(struct export_otlp_partial *p, struct reader r)
{
	struct reader inside;
	uint64_t number;
	enum wire wire;
	int field;

	while ((field = read_field(&r, &wire, &number, &inside)) > 0) {
		if (field == PARTIAL_REJECTED && wire == WIRE_VARINT) {
			/* a negative number has no meaning */
			p->rejected = number > INT64_MAX ? 0 : number;
		} else if (field == PARTIAL_MESSAGE && wire == WIRE_LENGTH) {
			const size_t size = sizeof(p->message) - 1;
			size_t len = (size_t)(inside.end - inside.at);

			len = len > size ? size : len;
			memcpy(p->message, inside.at, len);
			p->message[len] = '\0';
		}
	}
	return field;
}

int export_otlp_parse(struct export_otlp_partial *ret, const void *data, size_t len)
{
	struct export_otlp_partial p = { .rejected = 0 };
	struct reader r = { data, (const uint8_t *)data + len }, inside;
	uint64_t number;
	enum wire wire;
	int field;

	while ((field = read_field(&r, &wire, &number, &inside)) > 0) {
		if (field == RESPONSE_PARTIAL && wire == WIRE_LENGTH && parse_partial(&p, inside))
			return -EINVAL;
	}
	if (!field)
		*ret = p;
	return field;
}
