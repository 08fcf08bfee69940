// SPDX-License-Identifier: GPL-2.0
/* x86_model_intel.c -- compiles the module's model_intel.c for the simulated CPU. */
#include "module/x86/model_intel.c"
