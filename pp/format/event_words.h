/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_words.h -- what an event and its unit mask mean, in the words of the event tables.
 */
#ifndef PP_FORMAT_EVENT_WORDS_H
#define PP_FORMAT_EVENT_WORDS_H

#include <stdint.h>

struct pp_event_words;

/* NULL when there is no table for this kind of CPU here: reports then do without. */
struct pp_event_words *pp_event_words_load(uint32_t cpu_type);
/* Takes NULL. */
void pp_event_words_free(struct pp_event_words *words);

/* Never NULL; as long as @words lives. */
const char *pp_event_meaning(struct pp_event_words *words, const char *event);
const char *pp_unit_mask_meaning(struct pp_event_words *words, const char *event, uint32_t um);

#endif
