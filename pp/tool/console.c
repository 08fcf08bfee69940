// SPDX-License-Identifier: GPL-2.0-or-later
/* console.c -- messages and progress on the terminal. */
#include "config.h"
#include "pp/tool/console.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/clock.h"

#define FIRST_MS	500	/* progress is not shown earlier */
#define INTERVAL_MS	200

/* Clean the text again, because some callers do not use pp_warn() and the like. */
static void write_message(struct pp_log *log, enum pp_log_level level, const char *text)
{
	static const char *const kind[] = {
		[PP_LOG_ERROR] = "error: ",
		[PP_LOG_WARNING] = "warning: ",
		[PP_LOG_NOTE] = "",
		[PP_LOG_VERBOSE] = "",
	};
	struct pp_console *console = (struct pp_console *)log;

	pp_console_clear(console);
	fprintf(console->to, "%s: %s", console->tool, kind[level]);
	while (*text) {
		size_t len = strcspn(text, "\n");

		op_put_clean(console->to, text, len);
		putc('\n', console->to);
		text += len + (text[len] == '\n');
	}
}

static void show_progress(struct pp_log *log, size_t done, size_t of)
{
	struct pp_console *console = (struct pp_console *)log;
	uint64_t now;

	if (!console->show_progress)
		return;
	now = op_now_ms();
	if (now < console->next_ms)
		return;
	console->next_ms = now + INTERVAL_MS;
	console->line_shown = 1;
	fprintf(console->to, "\r\033[K%s: %zu of %zu", console->tool, done, of);
	fflush(console->to);
}

void pp_console_clear(struct pp_console *console)
{
	if (!console->line_shown)
		return;
	fputs("\r\033[K", console->to);
	fflush(console->to);
	console->line_shown = 0;
}

int pp_console_end(struct pp_console *console, int err)
{
	if (err > 0 && *console->log.error.text)
		pp_note(&console->log, "%s", console->log.error.text);
	if (err >= 0)
		return EXIT_SUCCESS;
	pp_log_failure(&console->log, err);
	return EXIT_FAILURE;
}

void pp_console_init(struct pp_console *console, const char *tool, FILE *to)
{
	*console = (struct pp_console){
		.log = { .write = write_message, .progress = show_progress },
		.tool = tool,
		.to = to,
		.show_progress = isatty(fileno(to)),
		.next_ms = op_now_ms() + FIRST_MS,
	};
}
