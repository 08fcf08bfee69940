// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_cgroup.c -- tests names of units, containers and pods in paths of control groups: exact
 * forms, nested levels, and names that users choose.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "libop/session/cgroup.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SHORT	"0123456789ab"
#define POD	"8f1c2d3e-4b5a-6978-8796-a5b4c3d2e1f0"
#define POD_	"8f1c2d3e_4b5a_6978_8796_a5b4c3d2e1f0"

/* Check the brief name of the group @path, and its innermost container and pod. */
static void check(const char *path, const char *name, const char *container, const char *pod)
{
	char *text = op_cgroup_name(path, true);

	assert_string_equal(text, name);
	free(text);
	text = op_cgroup_container(path, true);
	assert_string_equal(text, container);
	free(text);
	text = op_cgroup_pod(path);
	assert_string_equal(text, pod);
	free(text);
}

static void test_units(void **state)
{
	struct op_cgroup cg;

	(void)state;
	check("/system.slice/nginx.service", "nginx.service", "", "");
	check("/system.slice/docker-agent.service", "docker-agent.service", "", "");
	check("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", "", "");
	check("/init.scope", "init.scope", "", "");
	check("/user.slice/user-0.slice/session-3.scope", "session-3.scope", "", "");
	check("/system.slice", "system.slice", "", "");
	check("/", "/", "", "");
	/* systemd escapes names that look like files of the kernel. */
	check("/system.slice/_cpu.service", "cpu.service", "", "");
	check("/machine.slice/machine-qemu\\x2d1\\x2dweb.scope",
	      "machine-qemu\\x2d1\\x2dweb.scope", "", "");
	op_cgroup_parse(&cg, "/system.slice/system-getty.slice/getty@tty1.service");
	assert_int_equal(cg.nr, 1);
	assert_memory_equal(cg.levels[0].slice.at, "system-getty.slice", cg.levels[0].slice.len);
}

static void test_containers(void **state)
{
	(void)state;
	check("/system.slice/docker-" ID ".scope", "docker:" SHORT, "docker:" SHORT, "");
	check("/docker/" ID, "docker:" SHORT, "docker:" SHORT, "");
	check("/machine.slice/libpod-" ID ".scope/container", "podman:" SHORT, "podman:" SHORT, "");
	check("/libpod_parent/libpod-" ID, "podman:" SHORT, "podman:" SHORT, "");
	check("/system.slice/nerdctl-" ID ".scope", "containerd:" SHORT, "containerd:" SHORT, "");
	check("/lxc.payload.web-1", "lxc:web-1", "lxc:web-1", "");
	check("/lxc/web-1", "lxc:web-1", "lxc:web-1", "");
	check("/machine.slice/machine-web.scope/payload", "nspawn:web", "nspawn:web", "");
	check("/machine.slice/machine-web.scope", "nspawn:web", "nspawn:web", "");
	check("/machine.slice/systemd-nspawn@web.service/payload", "nspawn:web", "nspawn:web", "");
	check("/machine.slice/machine-lxc\\x2d7\\x2dweb.scope", "lxc:7\\x2dweb", "lxc:7\\x2dweb", "");
}

static void test_other_groups_of_runtimes(void **state)
{
	(void)state;
	check("/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope", "", "");
	check("/machine.slice/systemd-nspawn@web.service/supervisor",
	      "systemd-nspawn@web.service", "", "");
	check("/machine.slice/machine-web.scope/supervisor", "machine-web.scope", "", "");
	check("/lxc.monitor.web", "/lxc.monitor.web", "", "");
}

static void test_almost_containers(void **state)
{
	static const char *const paths[] = {
		"/docker", "/docker/", "/docker/0123", "/docker/" ID "0", "/docker/x" ID,
		"/docker/" "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
		"/my/docker/" ID, "/libpod-" ID, "/" ID, "/kubepods/" ID, "/kubepods/podx/" ID,
		"/kubepods/burstable/pod8f1c2d3e/" ID, "/lxc", "/lxc.payload.", "/lxc.payload.a b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		check(paths[i], paths[i], "", "");
	check("/system.slice/docker-" ID "0.scope", "docker-" ID "0.scope", "", "");
	check("/system.slice/docker-" ID ".service", "docker-" ID ".service", "", "");
	check("/system.slice/docker-.scope", "docker-.scope", "", "");
}

static void test_pods(void **state)
{
	(void)state;
	check("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
	      ".slice/cri-containerd-" ID ".scope", "containerd:" SHORT, "containerd:" SHORT, POD);
	check("/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope",
	      "cri-o:" SHORT, "cri-o:" SHORT, POD);
	check("/kubepods.slice/kubepods-pod" POD_ ".slice/crio-conmon-" ID ".scope",
	      "crio-conmon-" ID ".scope", "", POD);
	check("/kubepods/besteffort/pod" POD "/" ID, "kubernetes:" SHORT, "kubernetes:" SHORT, POD);
	check("/kubepods/pod" POD "/crio-" ID, "cri-o:" SHORT, "cri-o:" SHORT, POD);
	check("/kubepods/pod" POD, "pod:" POD, "", POD);
	check("/kubepods/pod00112233445566778899aabbccddeeff/" ID, "kubernetes:" SHORT,
	      "kubernetes:" SHORT, "00112233445566778899aabbccddeeff");
	check("/system.slice/containerd.service/kubepods-burstable-pod" POD_
	      ".slice:cri-containerd:" ID, "containerd:" SHORT, "containerd:" SHORT, POD);
	/* The uid has the dashes of its own form only. */
	check("/kubepods.slice/kubepods-pod" POD ".slice", "kubepods-pod" POD ".slice", "", "");
	check("/kubepods/pod" POD_ "/" ID, "/kubepods/pod" POD_ "/" ID, "", "");
}

static void test_levels(void **state)
{
	(void)state;
	check("/system.slice/docker-" ID ".scope/system.slice/nginx.service",
	      "docker:" SHORT "/nginx.service", "docker:" SHORT, "");
	check("/machine.slice/machine-web.scope/payload/system.slice/nginx.service",
	      "nspawn:web/nginx.service", "nspawn:web", "");
	check("/docker/" ID "/docker/" ID, "docker:" SHORT "/docker:" SHORT,
	      "docker:" SHORT "/docker:" SHORT, "");
	check("/user.slice/user-7.slice/user@7.service/app.slice/app-x.service",
	      "user@7.service/app-x.service", "", "");
	check("/docker/" ID "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_
	      ".slice/cri-containerd-" ID ".scope", "docker:" SHORT "/containerd:" SHORT,
	      "docker:" SHORT "/containerd:" SHORT, "docker:" ID "/" POD);
	/* Further levels are ignored. */
	check("/a.service/b.service/c.service/d.service/e.service",
	      "a.service/b.service/c.service/d.service", "", "");
}

/* The groups below user@UID.service, and below a delegated unit, have names that a user chose. */
static void test_forged(void **state)
{
	static const char user[] = "/user.slice/user-7.slice/user@7.service";
	static const char *const names[] = {
		"/system.slice/nginx.service", "/docker/" ID, "/nginx.service",
		"/docker-" ID ".scope", "/lxc/web", "/kubepods/pod" POD "/" ID,
		"/machine-web.scope/payload",
	};
	static const struct {
		const char *path, *name;
	} delegated[] = {
		{ "/system.slice/alice.service/docker-" ID ".scope", "alice.service/docker:" SHORT },
		{ "/alice/docker-" ID ".scope", "/alice/docker-" ID ".scope" },
		{ "/alice/docker/" ID, "/alice/docker/" ID },
		{ "/alice/nginx.service", "/alice/nginx.service" },
		{ "/system.slice/x/nginx.service", "system.slice" },
	};
	struct op_cgroup cg;
	char path[512];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name;

		snprintf(path, sizeof(path), "%s%s", user, names[i]);
		op_cgroup_parse(&cg, path);
		assert_int_equal(cg.owned, strlen(user));
		name = op_cgroup_name(path, false);
		assert_int_equal(strncmp(name, "user@7.service/", 15), 0);
		free(name);
		assert_false(op_cgroup_is_container(path, ID));
		assert_false(op_cgroup_is_container(path, "docker:" ID));
		assert_false(op_cgroup_is_container(path, "web"));
		assert_false(op_cgroup_is_pod(path, POD));
		assert_false(op_cgroup_is_unit(path, "nginx.service"));
		assert_false(op_cgroup_is_unit(path, "system.slice"));
		assert_true(op_cgroup_is_unit(path, "user@7.service"));
	}
	for (size_t i = 0; i < sizeof(delegated) / sizeof(delegated[0]); i++) {
		char *name = op_cgroup_name(delegated[i].path, true);

		assert_string_equal(name, delegated[i].name);
		free(name);
	}
}

static void test_owned(void **state)
{
	static const char *const whole[] = { "/system.slice/nginx.service", "/docker/" ID, "/", "/a",
					     "/system.slice" };
	struct op_cgroup cg;

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		op_cgroup_parse(&cg, whole[i]);
		assert_int_equal(cg.owned, strlen(whole[i]));
	}
	op_cgroup_parse(&cg, "/a/b/c");
	assert_int_equal(cg.owned, 2);
	op_cgroup_parse(&cg, "/docker/" ID "/a");
	assert_int_equal(cg.owned, strlen("/docker/" ID));
}

static void test_selection(void **state)
{
	static const char web[] = "/docker/" ID "/system.slice/web.service";
	static const char pod[] = "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope";

	(void)state;
	assert_true(op_cgroup_is_unit(web, web));
	assert_true(op_cgroup_is_unit(web, "docker:" SHORT "/web.service"));
	assert_true(op_cgroup_is_unit(web, "docker:" ID "/web.service"));
	assert_true(op_cgroup_is_unit(web, "docker:" ID));
	assert_false(op_cgroup_is_unit(web, "web.service"));
	assert_false(op_cgroup_is_unit(web, "docker:" ID "/web.servic"));
	assert_false(op_cgroup_is_unit(web, "docker:" ID "/"));
	assert_false(op_cgroup_is_unit(web, "docker"));
	assert_true(op_cgroup_is_unit("/a.slice/a-b.slice/x.service", "a.slice"));
	assert_true(op_cgroup_is_unit("/a.slice/a-b.slice/x.service", "a-b.slice"));
	assert_true(op_cgroup_is_container(web, SHORT));
	assert_true(op_cgroup_is_container(web, ID));
	assert_true(op_cgroup_is_container(web, "docker:0123456789abcd"));
	assert_false(op_cgroup_is_container(web, "0123456789a"));
	assert_false(op_cgroup_is_container(web, "podman:" ID));
	assert_false(op_cgroup_is_container(web, ""));
	assert_false(op_cgroup_is_container(web, ID "0"));
	assert_true(op_cgroup_is_container("/lxc/web", "web"));
	assert_false(op_cgroup_is_container("/lxc/web", "we"));
	assert_true(op_cgroup_is_pod(pod, POD));
	assert_false(op_cgroup_is_pod(pod, POD_));
	assert_false(op_cgroup_is_pod(web, ""));
}

/* Names of groups are arbitrary bytes. */
static void test_hostile(void **state)
{
	char path[4200] = "/", *name;

	(void)state;
	check("/system.slice/a\nb.service", "system.slice", "", "");
	check("/a\nb/%7B{dep}", "/a\nb/%7B{dep}", "", "");
	check("", "", "", "");
	check("//", "//", "", "");
	check("/system.slice/\xff.service", "system.slice", "", "");
	memset(path + 1, 'x', sizeof(path) - 2);
	check(path, path, "", "");
	memcpy(path + 1, "system.slice/", 13);
	strcpy(path + 13 + 1 + 255, ".service");
	name = op_cgroup_name(path, false);
	assert_string_equal(name, "system.slice");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_other_groups_of_runtimes),
		cmocka_unit_test(test_almost_containers),
		cmocka_unit_test(test_pods),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_forged),
		cmocka_unit_test(test_owned),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
