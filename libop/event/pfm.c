// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pfm.c -- conversion of libpfm4's events, with their names, masks and codes, into entries of the
 * event table.
 *
 * dlopen() loads libpfm4 on demand: relocating its megabyte of tables takes longer than all other
 * work of a program that needs no event names.
 */
#include "config.h"
#include "libop/event/pfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* environment variable that allows libpfm4 to encode events of other CPUs than this machine's */
#define ENCODE_INACTIVE	"LIBPFM_ENCODE_INACTIVE"

#define LIBRARY		"libpfm.so.4"
#define FUNCTIONS(X)	X(initialize) X(terminate) X(strerror) X(get_pmu_info) X(get_os_event_encoding) X(get_event_attr_info) \
			X(get_event_info) X(get_event_next)

struct pfm {
	void *library;
#define X(name) __typeof__(pfm_##name) *name;
	FUNCTIONS(X)
#undef X
};

/* The code of an event, as libpfm4 encodes it: event number, unit mask, extra bits. */
struct code {
	uint32_t event, um, extra;
	uint64_t config1;
};

/* Load libpfm4. Return 0, or -ENOENT if libpfm4 is not installed or has another version. */
static int load(struct pfm *pfm)
{
	bool is_whole = true;

	pfm->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!pfm->library)
		return -ENOENT;
#define X(name) is_whole = (*(void **)&pfm->name = dlsym(pfm->library, "pfm_" #name)) && is_whole;
	FUNCTIONS(X)
#undef X
	if (is_whole)
		return 0;
	dlclose(pfm->library);
	return -ENOENT;
}

static int open_pfm(struct pfm *pfm, struct op_reason *error)
{
	const bool was_set = getenv(ENCODE_INACTIVE) != NULL;
	int err = load(pfm);

	if (err)
		return err;
	if (!was_set)
		setenv(ENCODE_INACTIVE, "1", 1);
	err = pfm->initialize();
	if (!was_set)
		unsetenv(ENCODE_INACTIVE);
	if (err == PFM_SUCCESS)
		return 0;
	op_fail(error, -EIO, "libpfm4: %s", pfm->strerror(err));
	dlclose(pfm->library);
	return -EIO;
}

static void close_pfm(struct pfm *pfm)
{
	pfm->terminate();
	dlclose(pfm->library);
}

static int find_pmu(const struct pfm *pfm, const char *name, pfm_pmu_info_t *ret)
{
	pfm_pmu_t pmu;

	pfm_for_all_pmus(pmu) {
		memset(ret, 0, sizeof(*ret));
		ret->size = sizeof(*ret);
		if (pfm->get_pmu_info(pmu, ret) == PFM_SUCCESS && !strcmp(ret->name, name))
			return 0;
	}
	return -ENOENT;
}

/* Encode an event by libpfm4. Return -ENOENT if libpfm4 cannot encode it: some events need masks
 * from several groups together. */
static int encode(const struct pfm *pfm, enum op_pmu_arch arch, const char *pmu, const char *event,
		  const char *um, struct code *ret)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	char text[256];
	int err;

	snprintf(text, sizeof(text), um ? "%s::%s:%s" : "%s::%s", pmu, event, um);
	err = pfm->get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (err == PFM_ERR_NOMEM)
		return -ENOMEM;
	if (err != PFM_SUCCESS || arg.count < 1) {
		free(arg.codes);
		return -ENOENT;
	}
	memset(ret, 0, sizeof(*ret));
	switch (arch) {
	case OP_PMU_ARM:
		ret->event = arg.codes[0] & 0xffff;
		break;
	case OP_PMU_AMD:
		ret->event = arg.codes[0] >> 24 & 0xf00;
		__attribute__((fallthrough));
	default:
		ret->event |= arg.codes[0] & 0xff;
		ret->um = arg.codes[0] >> 8 & 0xff;
		ret->extra = arg.codes[0] & OP_EXTRA_REGISTER;
		if (arg.count > 1)
			ret->config1 = arg.codes[1];
	}
	free(arg.codes);
	return 0;
}

/* Append a value to the unit mask, with libpfm4's description of the value. */
static int add_value(struct op_unit_mask *um, const struct code *code, const char *name,
		     const char *desc)
{
	int err = op_unit_mask_add_value(um, code->um, code->extra ? code->extra : OP_EXTRA_NONE,
					 name, desc && *desc ? desc : name);

	if (!err)
		um->values[um->nr_values - 1].config1 = code->config1;
	return err;
}

/* Return the type of a unit mask. The values of a mask may be combined only if each value is a
 * single bit, or consists of bits of other values. */
static enum op_um_type type_of(const struct op_unit_mask *um)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < um->nr_values; i++) {
		const struct op_um_value *v = &um->values[i];

		if (v->extra & OP_EXTRA_REGISTER || v->config1 || !v->value)
			return OP_UM_EXCLUSIVE;
		if (!(v->value & (v->value - 1)))
			bits |= v->value;
	}
	for (size_t i = 0; i < um->nr_values; i++) {
		if (um->values[i].value & ~bits)
			return OP_UM_EXCLUSIVE;
	}
	return OP_UM_BITMASK;
}

/* Read all values of a libpfm4 event into @um, and set *@ret_event to the event's code. Return
 * -ENOENT if no value can be encoded. */
static int read_values(const struct pfm *pfm, struct op_unit_mask *um, enum op_pmu_arch arch,
		       const char *pmu, const pfm_event_info_t *event, uint32_t *ret_event)
{
	pfm_event_attr_info_t attr;
	struct code code;
	int i, err, masks = 0;

	for (i = 0; i < event->nattrs; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm->get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks++;
		err = encode(pfm, arch, pmu, event->name, attr.name, &code);
		if (err == -ENOENT)
			continue;
		if (!err && op_um_value_by_name(um, attr.name))
			continue;
		if (!err)
			err = add_value(um, &code, attr.name, attr.desc);
		if (err)
			return err;
		*ret_event = code.event;
		if (attr.is_dfl && !um->default_name) {
			um->default_name = strdup(attr.name);
			if (!um->default_name)
				return -ENOMEM;
		}
	}
	if (masks)
		return um->nr_values ? 0 : -ENOENT;

	err = encode(pfm, arch, pmu, event->name, NULL, &code);
	if (err)
		return err;
	*ret_event = code.event;
	err = op_unit_mask_add_value(um, code.um, code.extra, NULL, "No unit mask");
	if (!err)
		um->values[0].config1 = code.config1;
	um->default_value = code.um;
	return err;
}

/* Add to the event's unit mask the values that only libpfm4 has. Add them to a copy of the unit
 * mask, and do not change the default. */
static int complete_event(struct op_event_table *table, struct op_event *event,
			  const struct op_unit_mask *more)
{
	struct op_unit_mask *um = NULL;
	const struct op_unit_mask *old = event->unit_mask;
	size_t j;
	int err = -ENOMEM;

	for (size_t i = 0; i < more->nr_values; i++) {
		const struct op_um_value *v = &more->values[i];

		for (j = 0; j < old->nr_values; j++) {
			const struct op_um_value *o = &old->values[j];

			if ((o->name && v->name && !strcasecmp(o->name, v->name)) ||
			    (o->value == v->value && o->config1 == v->config1 &&
			     (o->extra & OP_EXTRA_REGISTER) == (v->extra & OP_EXTRA_REGISTER)))
				break;
		}
		if (j < old->nr_values)
			continue;
		if (!v->name)
			continue;
		if (!um) {
			um = calloc(1, sizeof(*um));
			if (!um)
				return -ENOMEM;
			um->name = strdup(event->name);
			um->default_value = old->default_value;
			if (old->default_name)
				um->default_name = strdup(old->default_name);
			if (!um->name || (old->default_name && !um->default_name))
				goto err_free;
			for (j = 0; j < old->nr_values; j++) {
				if (op_unit_mask_add_value(um, old->values[j].value,
							   old->values[j].extra,
							   old->values[j].name,
							   old->values[j].desc))
					goto err_free;
			}
		}
		if (op_unit_mask_add_value(um, v->value, v->extra, v->name, v->desc))
			goto err_free;
		um->values[um->nr_values - 1].config1 = v->config1;
	}
	if (!um)
		return 0;
	um->type = old->type == OP_UM_BITMASK ? type_of(um) : OP_UM_EXCLUSIVE;
	err = op_event_table_add_unit_mask(table, um);
	if (err)
		goto err_free;
	event->unit_mask = um;
	um->used = 1;
	return 0;

err_free:
	op_unit_mask_free(um);
	return err;
}

static struct op_event *find_event(const struct op_event_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_events; i++) {
		if (!strcasecmp(table->events[i]->name, name))
			return table->events[i];
	}
	return NULL;
}

static struct op_event *new_event(const pfm_event_info_t *info, uint32_t code,
				  struct op_unit_mask *um)
{
	struct op_event *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	event->name = strdup(info->name);
	event->desc = strdup(info->desc && *info->desc ? info->desc : info->name);
	event->code = code;
	event->counters = UINT64_MAX;
	event->min_count = OP_PFM_MIN_COUNT;
	event->unit_mask = um;
	event->source = OP_EVENT_PFM;
	if (!event->name || !event->desc) {
		op_event_free(event);
		return NULL;
	}
	return event;
}

static int add_event(const struct pfm *pfm, struct op_event_table *table, const char *pmu,
		     const pfm_event_info_t *info)
{
	struct op_unit_mask *um;
	struct op_event *event;
	uint32_t code = 0;
	int err = -ENOMEM;

	/* Skip a name with one of these characters, because the names of sample files contain the
	 * names of events. */
	if (strpbrk(info->name, "./,:"))
		return 0;
	um = calloc(1, sizeof(*um));
	if (!um)
		return -ENOMEM;
	um->name = strdup(info->name);
	if (!um->name)
		goto done;
	err = read_values(pfm, um, table->cpu->arch, pmu, info, &code);
	if (err)
		goto done;

	event = find_event(table, info->name);
	if (event) {
		if (event->code == code && event->source == OP_EVENT_CURATED)
			err = complete_event(table, event, um);
		goto done;
	}
	if (um->values[0].name) {
		um->type = type_of(um);
		if (!um->default_name)
			um->default_name = strdup(um->values[0].name);
		err = -ENOMEM;
		if (!um->default_name)
			goto done;
	}
	err = -ENOMEM;
	event = new_event(info, code, um);
	if (!event)
		goto done;
	err = op_event_table_add_unit_mask(table, um);
	if (err) {
		op_event_free(event);
		goto done;
	}
	um = NULL;	/* the table has taken ownership of the unit mask */
	err = op_event_table_add_event(table, event);
	if (err)
		op_event_free(event);
done:
	op_unit_mask_free(um);
	return err == -ENOENT ? 0 : err;
}

int op_event_pfm_add(struct op_event_table *table, struct op_reason *error)
{
	pfm_pmu_info_t pmu;
	pfm_event_info_t info;
	struct pfm pfm;
	int err;

	if (!table->cpu->pfm)
		return 0;
	err = open_pfm(&pfm, error);
	if (err)
		return err == -ENOENT ? 0 : err;
	if (find_pmu(&pfm, table->cpu->pfm, &pmu))
		goto done;
	for (int idx = pmu.first_event; idx != -1 && !err; idx = pfm.get_event_next(idx)) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm.get_event_info(idx, PFM_OS_NONE, &info) == PFM_SUCCESS)
			err = add_event(&pfm, table, pmu.name, &info);
	}
	if (err)
		op_fail(error, err, "cannot read the events of libpfm4: %s", strerror(-err));
done:
	close_pfm(&pfm);
	return err;
}
