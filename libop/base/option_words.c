// SPDX-License-Identifier: GPL-2.0-or-later
/* option_words.c -- checks for abbreviated, misspelt and repeated options, in the option tables of
 * popt. */
#include "config.h"
#include "libop/base/option_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/nearest.h"

/* minimum number of characters of an abbreviated option */
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

/* Return whether an option takes a value. */
static bool has_value(const struct poptOption *option)
{
	unsigned int type = option->argInfo & POPT_ARG_MASK;

	return type != POPT_ARG_NONE && type != POPT_ARG_VAL;
}

/* Return the first option of @table for which @matches returns true, or NULL. @matches gets the
 * arguments @word and @len. */
static const struct poptOption *find(const struct poptOption *table,
				     bool (*matches)(const struct poptOption *option,
						     const char *word, size_t len),
				     const char *word, size_t len)
{
	const struct poptOption *found;

	for (; table->longName || table->shortName || table->arg; table++) {
		if ((table->argInfo & POPT_ARG_MASK) != POPT_ARG_INCLUDE_TABLE)
			found = matches(table, word, len) ? table : NULL;
		else
			found = table->arg ? find(table->arg, matches, word, len) : NULL;
		if (found)
			return found;
	}
	return NULL;
}

static bool has_name(const struct poptOption *option, const char *word, size_t len)
{
	return option->longName && strlen(option->longName) == len &&
	       !strncmp(option->longName, word, len);
}

static bool begins_with(const struct poptOption *option, const char *word, size_t len)
{
	return option->longName && len >= MIN_LENGTH && !strncmp(option->longName, word, len);
}

static bool has_letter(const struct poptOption *option, const char *word, size_t len)
{
	(void)len;
	return option->shortName && option->shortName == word[0];
}

/* An option on a command line, with its value. */
struct use {
	/* option of the program; NULL: the program has no such option */
	const struct poptOption *option;
	/* value of the option; NULL: the value is the next word of the command line */
	const char *value;
};

/* Find the option that the command line's word @word means. The word begins with '-'. */
static struct use use_of(const struct poptOption *table, const char *word)
{
	struct use use = { NULL, NULL };

	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		use.option = find(table, has_name, word + 2, len);
		if (!use.option)
			use.option = find(table, begins_with, word + 2, len);
		if (word[2 + len])
			use.value = word + 3 + len;
	} else {
		while (*++word) {
			use.option = find(table, has_letter, word, 1);
			if (!use.option || has_value(use.option))
				break;
		}
		if (use.option && *word && word[1])
			use.value = word + 1 + (word[1] == '=');
	}
	if (use.option && !has_value(use.option))
		use.option = NULL;
	return use;
}

/* Return whether a command line may contain an option several times, because all its values
 * count. */
static bool is_repeatable(const struct poptOption *option)
{
	static const char *const names[] = {
		"debug", "event", "events", "fail-if", "filter", "frequency", "pid",
		"process-list", "thread-list", "unsafe", "verbose", NULL,
	};

	return !option->longName || is_listed(names, option->longName);
}

/* Set an error if one of the @nr earlier options on the command line is the same as the option
 * @use. */
static int check_use(const struct use *uses, size_t nr, const struct use *use,
		     struct op_reason *error)
{
	const char *name = use->option->longName, *list = use->option->argDescrip;

	if (is_repeatable(use->option))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (uses[i].option != use->option)
			continue;
		if (!strcmp(name, "session-dir"))
			return op_fail(error, -EINVAL,
				       "--session-dir can be given only once, and is given as %s "
				       "and %s: to compare the two with opreport, write { "
				       "session-dir:%s } { session-dir:%s }",
				       uses[i].value, use->value, uses[i].value, use->value);
		if (list && strstr(list, "[,"))
			return op_fail(error, -EINVAL,
				       "--%s can be given only once: write --%s=%s,%s", name, name,
				       uses[i].value, use->value);
		return op_fail(error, -EINVAL,
			       "--%s can be given only once, and is given as %s and %s", name,
			       uses[i].value, use->value);
	}
	return 0;
}

int op_options_once(const struct poptOption *table, const char *const *argv, bool ends_at_word,
		    struct op_reason *error)
{
	struct use *uses = NULL;
	size_t nr = 0;
	int err = 0;

	for (size_t i = 1; argv[0] && argv[i] && !err && strcmp(argv[i], "--"); i++) {
		struct use use;

		if (argv[i][0] != '-' || !argv[i][1]) {
			if (ends_at_word)
				break;
			continue;
		}
		use = use_of(table, argv[i]);
		if (!use.option)
			continue;
		if (!use.value && !(use.option->argInfo & POPT_ARGFLAG_OPTIONAL))
			use.value = argv[i + 1] ? argv[++i] : NULL;
		if (!use.value)
			continue;
		err = check_use(uses, nr, &use, error);
		if (!err)
			err = op_grow(&uses, nr);
		if (!err)
			uses[nr++] = use;
	}
	free(uses);
	return err;
}

const char *op_options_suggest(const struct poptOption *table, const char *bad, char *buffer,
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

		/* If the mistyped word is the prefix of several options, suggest only these
		 * options. */
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
