/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_words.h -- descriptions of events and unit masks from the event tables.
 */
#ifndef PP_FORMAT_EVENT_WORDS_H
#define PP_FORMAT_EVENT_WORDS_H

#include <stdint.h>

struct pp_event_words;

/* Return the descriptions, or NULL if there is no table for this type of CPU; reports then have
 * no descriptions. */
struct pp_event_words *pp_event_words_load(uint32_t cpu_type);
/* Takes NULL. */
void pp_event_words_free(struct pp_event_words *words);

/* Return a description, never NULL, that is valid as long as @words. */
const char *pp_event_meaning(struct pp_event_words *words, const char *event);
const char *pp_unit_mask_meaning(struct pp_event_words *words, const char *event, uint32_t um);

#endif
