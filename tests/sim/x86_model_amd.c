// SPDX-License-Identifier: GPL-2.0
/* x86_model_amd.c -- the file of the module, built for the simulated CPU. */
#include "module/x86/model_amd.c"
