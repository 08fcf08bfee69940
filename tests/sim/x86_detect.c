// SPDX-License-Identifier: GPL-2.0
/* x86_detect.c -- the file of the module, built for the simulated CPU. */
#include "module/x86/detect.c"
