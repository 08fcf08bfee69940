// SPDX-License-Identifier: GPL-2.0-or-later
/* wakers.c -- samples of the tasks and interrupts that end waits, as rows of a report. */
#include "config.h"
#include "pp/session/wakers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL	"kernel"

static int name_waker(struct pp_files *files, struct pp_sample_file *file)
{
	const char *woken = file->name.woken;
	char *title;

	if (asprintf(&title, "%s" PP_WOKEN_MARK "%s)",
		     file->name.app.kind == OP_IMAGE_KERN ? KERNEL : file->app,
		     strcmp(woken, OP_WOKEN_KERNEL) ? woken : KERNEL) < 0)
		return -ENOMEM;
	file->app = pp_files_string(files, title);
	free(title);
	return file->app ? 0 : -ENOMEM;
}

int pp_wakers_to_rows(struct pp_files *files)
{
	int err = 0;

	for (size_t i = 0; i < files->nr && !err; i++)
		if (files->items[i].name.woken)
			err = name_waker(files, &files->items[i]);
	if (!err)
		pp_files_sort(files);
	return err;
}

int pp_waker_split(const char **waker, const char **woken, const char *title,
		   struct pp_intern *names, struct pp_block **strings)
{
	const char *mark = strstr(title, PP_WOKEN_MARK);
	const char *from = mark ? mark + strlen(PP_WOKEN_MARK) : "";
	char *text[2] = {
		strndup(title, mark ? (size_t)(mark - title) : strlen(title)),
		/* without the ')' at the end */
		strndup(from, *from ? strlen(from) - 1 : 0),
	};
	const char *ret[2] = { NULL, NULL };

	for (int i = 0; i < 2; i++) {
		if (text[i])
			ret[i] = pp_intern(names, strings, text[i]);
		free(text[i]);
	}
	if (!ret[0] || !ret[1])
		return -ENOMEM;
	*waker = ret[0];
	*woken = ret[1];
	return 0;
}

int pp_wakers_report_none(struct op_reason *error)
{
	return op_fail(error, -ENODATA,
		       "the session has no samples of wakers; the kernel module records them: "
		       "opcontrol --start --event=OFFCPU --wakers=on");
}
