// SPDX-License-Identifier: GPL-2.0
/* x86_model_amd.c -- compiles the module's model_amd.c for the simulated CPU. */
#include "module/x86/model_amd.c"
