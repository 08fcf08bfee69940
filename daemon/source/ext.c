// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ext.c -- table of the CPU features with their own sampling method, such as IBS, and the state of
 * those that the configured events use.
 */
#include "config.h"
#include "daemon/source/ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>


static const struct opd_ext_feature *const features[] = {
	&opd_ext_ibs,
};

#define NR_FEATURES	(sizeof(features) / sizeof(features[0]))

struct opd_ext {
	/* state of each CPU feature; NULL: no configured event uses the feature */
	void *state[NR_FEATURES];
};

void opd_ext_destroy(struct opd_ext *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (e->state[i])
			features[i]->destroy(e->state[i]);
	free(e);
}

int opd_ext_create(struct opd_ext **ret, const struct opd_config *cfg)
{
	struct opd_ext *e = calloc(1, sizeof(*e));
	bool used = false;

	if (!e)
		return -ENOMEM;
	for (size_t i = 0; i < NR_FEATURES; i++) {
		int err = features[i]->create(&e->state[i], cfg);

		if (err) {
			opd_ext_destroy(e);
			return err;
		}
		used |= e->state[i] != NULL;
	}
	if (!used) {
		opd_ext_destroy(e);
		e = NULL;
	}
	*ret = e;
	return 0;
}

int opd_ext_setup(const struct opd_ext *e, int oprofilefs_fd, struct op_reason *error)
{
	for (size_t i = 0; i < NR_FEATURES; i++) {
		int err = features[i]->setup(e ? e->state[i] : NULL, oprofilefs_fd, error);

		if (err)
			return err;
	}
	return 0;
}

int opd_ext_derive(const struct opd_ext *e, unsigned long code, const unsigned long *operands,
		   struct opd_sample *samples)
{
	for (size_t i = 0; e && i < NR_FEATURES; i++) {
		int nr = e->state[i] ? features[i]->derive(e->state[i], code, operands, samples) :
				       -1;

		if (nr >= 0)
			return nr;
	}
	return -1;
}

int opd_ext_stats(const struct opd_ext *e, struct op_session_stats *stats)
{
	int err = 0;

	for (size_t i = 0; e && i < NR_FEATURES && !err; i++)
		if (e->state[i] && features[i]->stats)
			err = features[i]->stats(e->state[i], stats);
	return err;
}

int opd_ext_events(char **ret, const char *text)
{
	for (size_t i = 0; i < NR_FEATURES; i++) {
		size_t len = strlen(features[i]->name), size;
		char *list = NULL;
		FILE *f;
		int err;

		if (strncmp(text, features[i]->name, len) || text[len] != ':')
			continue;
		f = open_memstream(&list, &size);
		if (!f)
			return -ENOMEM;
		err = features[i]->events(f, text + len + 1);
		if (fclose(f) && !err)
			err = -ENOMEM;
		if (err)
			free(list);
		else
			*ret = list;
		return err;
	}
	return -EINVAL;
}
