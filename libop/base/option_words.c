// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * option_words.c -- abbreviations of options and suggestions, from popt's tables and the tables
 * they include.
 */
#include "config.h"
#include "libop/base/option_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/nearest.h"

/* number of characters of the shortest allowed abbreviation of an option */
#define MIN_LENGTH	2

struct names {
	const char **items;
	size_t nr;
};

static int collect(struct names *names, const struct poptOption *table)
{
	for (; table->longName || table->shortName || table->arg; table++) {
		int err = 0;

		if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
			if (table->arg)
				err = collect(names, table->arg);
		} else if (table->longName) {
			err = op_grow(&names->items, names->nr);
			if (!err)
				names->items[names->nr++] = table->longName;
		}
		if (err)
			return -ENOMEM;
	}
	return 0;
}

static size_t nr_beginning(const struct names *names, const char *word, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < names->nr; i++)
		nr += !strncmp(names->items[i], word, len);
	return nr;
}

static int add_alias(poptContext con, const char *name, size_t len)
{
	char *word = strndup(name, len), *option = NULL;
	struct poptAlias alias = { .longName = word, .argc = 1 };
	int err = -ENOMEM;

	if (word && asprintf(&option, "--%s", name) < 0)
		option = NULL;
	if (option && !poptDupArgv(1, (const char **)&option, NULL, &alias.argv))
		err = poptAddAlias(con, alias, 0) ? -ENOMEM : 0;
	free(option);
	free(word);
	return err;
}

static bool is_listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

int op_options_abbreviate(poptContext con, const struct poptOption *table, const char *const *whole)
{
	struct names names = { NULL, 0 };
	int err = collect(&names, table);

	for (size_t i = 0; i < names.nr && !err; i++) {
		const char *name = names.items[i];

		if (is_listed(whole, name))
			continue;
		for (size_t len = MIN_LENGTH; len < strlen(name) && !err; len++)
			if (nr_beginning(&names, name, len) == 1)
				err = add_alias(con, name, len);
	}
	free(names.items);
	return err;
}

const char *op_options_meant(const struct poptOption *table, const char *bad, char *buffer,
			     size_t size)
{
	struct op_nearest nearest = { .nr = 0 };
	struct names names = { NULL, 0 };
	char *word;

	buffer[0] = '\0';
	bad += strspn(bad, "-");
	word = strndup(bad, strcspn(bad, "="));
	if (word && *word && !collect(&names, table)) {
		size_t len = strlen(word);

		/* If the word is the beginning of several options, suggest only these options. */
		for (size_t i = 0; i < names.nr && nearest.nr < OP_NEAREST_MAX; i++)
			if (!strncmp(names.items[i], word, len))
				nearest.names[nearest.nr++] = names.items[i];
		for (size_t i = 0; i < names.nr && !nr_beginning(&names, word, len); i++)
			op_nearest_add(&nearest, word, names.items[i]);
		op_nearest_text_of(&nearest, "--", buffer, size);
	}
	free(names.items);
	free(word);
	return buffer;
}
