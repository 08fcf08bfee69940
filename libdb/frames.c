// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c -- the file of frames. Each frame is stored in a slot of the file (slots.h). The key of
 * the slot is the frame's offset; the value combines the frame's image and the frame's `how`.
 */
#include "config.h"
#include "libdb/frames.h"
#include "libdb/slots.h"

#include <errno.h>
#include <stdlib.h>

struct frames {
	struct slots slots;
};

static const struct slots_kind frames_kind = {
	.magic = SLOTS_MAGIC_FRAMES,
	.value_is_key = true,
	.never_twice = true,
};

int frames_open(struct frames **ret, int fd, enum odb_mode mode, uint64_t boot)
{
	struct frames *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	err = slots_open(&f->slots, &frames_kind, fd, mode, 0, boot);
	if (err) {
		free(f);
		return err;
	}
	*ret = f;
	return 0;
}

void frames_close(struct frames *f)
{
	if (!f)
		return;
	slots_close(&f->slots);
	free(f);
}

uint64_t frames_generation(const struct frames *f)
{
	return slots_header(&f->slots)->id;
}

int frames_number(struct frames *f, const struct frame *frame, uint32_t *number)
{
	uint64_t value = (uint64_t)frame->how << 32 | frame->image;
	uint32_t found = slots_find(&f->slots, frame->offset, value);

	if (!found)
		return slots_append(&f->slots, frame->offset, value, number);
	*number = found;
	return 0;
}

bool frames_get(const struct frames *f, uint32_t number, struct frame *frame)
{
	uint64_t key, value;

	if (!slots_get(&f->slots, number, &key, &value))
		return false;
	*frame = (struct frame){ .offset = key, .image = value, .how = value >> 32 };
	return true;
}

uint32_t frames_end(const struct frames *f)
{
	return slots_end(&f->slots);
}

bool frames_more(struct frames *f)
{
	return slots_more(&f->slots);
}

void frames_limit(struct frames *f, uint32_t end)
{
	slots_limit(&f->slots, end);
}

int frames_sync(struct frames *f, int wait)
{
	return slots_sync(&f->slots, wait);
}
