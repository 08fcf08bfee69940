// SPDX-License-Identifier: GPL-2.0-or-later
/* test_utils_opcontrol_kernel_log.c -- tests finding the kernel's reason in its log. */
#include "config.h"
#include "tests/unit/check.h"

#include "utils/opcontrol/kernel_log.h"

#define BEFORE	"<6>[    1.5] oprofile: version magic 'old'\n<6>[    2.5] usb 1-1: new device\n"
#define MAGIC	"version magic '6.1 SMP' should be '6.1 SMP preempt'"

static void expect(const char *before, const char *after, const char *reason)
{
	char text[300];
	bool found = ctl_kernel_log_reason(text, sizeof(text), before, after);

	assert_int_equal(found, reason != NULL);
	if (reason)
		assert_string_equal(text, reason);
}

static void only_new_lines_are_reasons(void **state)
{
	(void)state;
	expect(BEFORE, BEFORE, NULL);
	expect(BEFORE, BEFORE "<3>[    9.1] oprofile: " MAGIC "\n", "oprofile: " MAGIC);
	/* The log is a ring: the line that was the last one may be gone. */
	expect(BEFORE, "<3>[    9.1] oprofile: " MAGIC, "oprofile: " MAGIC);
	expect(NULL, "<3>[    9.1] oprofile: " MAGIC "\n", "oprofile: " MAGIC);
	expect("", "<3>[    9.1] oprofile: " MAGIC "\n", "oprofile: " MAGIC);
	expect(BEFORE, NULL, NULL);
	expect(NULL, NULL, NULL);
}

static void first_cause_is_the_reason(void **state)
{
	(void)state;
	expect(BEFORE,
	       BEFORE "<4>[    9.0] oprofile: loading out-of-tree module taints kernel.\n"
		      "<6>[    9.0] eth0: link is up\n"
		      "<4>[    9.1] oprofile: disagrees about version of symbol module_layout\n"
		      "<4>[    9.1] oprofile: Unknown symbol module_layout (err -22)\n",
	       "oprofile: disagrees about version of symbol module_layout");
	expect(BEFORE, BEFORE "<5>[    9.0] Loading of unsigned module is rejected\n",
	       "Loading of unsigned module is rejected");
}

/* Other users than root may read the reason, but no addresses of the kernel. */
static void addresses_are_no_reason(void **state)
{
	(void)state;
	expect(BEFORE,
	       BEFORE "<3>[    9.0] module: x86/modules: Invalid relocation target, loc 00000000ee9ef6d3, "
		      "val ffffffffc0a1b2c3\n",
	       NULL);
	expect(BEFORE,
	       BEFORE "<3>[    9.0] module: overflow in relocation type 10 val ffffffff8e200000\n"
		      "<3>[    9.0] module: `oprofile' likely not compiled with -mcmodel=kernel\n",
	       "module: `oprofile' likely not compiled with -mcmodel=kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_new_lines_are_reasons),
		cmocka_unit_test(first_cause_is_the_reason),
		cmocka_unit_test(addresses_are_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
