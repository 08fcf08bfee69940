// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * jvmti.c -- libjvmti_oprofile.so: a JVMTI agent that reports the compiled methods of a Java
 * virtual machine through opagent.h.
 *
 * 	java -agentpath:/usr/lib/libjvmti_oprofile.so PROGRAM
 *
 * The virtual machine may call the agent from any of its threads. Apart from the handle of the
 * agent, this file keeps no state between two calls.
 */
#include "config.h"
#include <jvmti.h>
#include <jvmticmlr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/java_name.h"
#include "agents/opagent.h"

/* Static, because JVMTI callbacks have no context argument; a process has one virtual machine. */
static op_agent_t agent;

/* The line number table of one method. */
struct method_lines {
	jmethodID method;
	char *file;			/* path of the source file; NULL: unknown */
	jvmtiLineNumberEntry *entries;
	jint nr;
};

/* The line tables of a compiled method and of the methods that were inlined into it. */
struct methods {
	jvmtiEnv *jvmti;
	struct method_lines *items;
	size_t nr;
};

static void free_text(jvmtiEnv *jvmti, char *text)
{
	if (text)
		(*jvmti)->Deallocate(jvmti, (unsigned char *)text);
}

/* Return the path of the method's source file relative to the source root, such as
 * "java/lang/String.java", or NULL if the path is unknown. The caller frees the path. */
static char *source_file(jvmtiEnv *jvmti, jmethodID method)
{
	char *signature = NULL, *name = NULL, *path = NULL;
	jclass class;

	if (!(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) &&
	    !(*jvmti)->GetSourceFileName(jvmti, class, &name))
		path = opa_java_source(signature, name);
	free_text(jvmti, signature);
	free_text(jvmti, name);
	return path;
}

/* Return the line table of @method, valid until the next call, or NULL if out of memory. */
static const struct method_lines *lines_of(struct methods *methods, jmethodID method)
{
	jvmtiEnv *jvmti = methods->jvmti;
	struct method_lines *items, *item;

	for (size_t i = methods->nr; i-- > 0; )
		if (methods->items[i].method == method)
			return &methods->items[i];
	items = realloc(methods->items, (methods->nr + 1) * sizeof(*items));
	if (!items)
		return NULL;
	methods->items = items;
	item = &items[methods->nr++];
	*item = (struct method_lines){ .method = method, .file = source_file(jvmti, method) };
	if ((*jvmti)->GetLineNumberTable(jvmti, method, &item->nr, &item->entries)) {
		item->nr = 0;
		item->entries = NULL;
	}
	return item;
}

static void release(struct methods *methods)
{
	for (size_t i = 0; i < methods->nr; i++) {
		free(methods->items[i].file);
		free_text(methods->jvmti, (char *)methods->items[i].entries);
	}
	free(methods->items);
}

/* Return the line of the last entry that begins at or before bytecode index @location, or 0 if
 * all entries begin later. The entries are not sorted, so search all of them. */
static unsigned int line_at(const struct method_lines *lines, jlocation location)
{
	const jvmtiLineNumberEntry *best = NULL;

	if (location < 0)
		/* negative: code before the first bytecode of the method */
		location = 0;
	for (jint i = 0; i < lines->nr; i++) {
		const jvmtiLineNumberEntry *entry = &lines->entries[i];

		if (entry->start_location <= location &&
		    (!best || entry->start_location >= best->start_location))
			best = entry;
	}
	return best ? best->line_number : 0;
}

/* Append an entry to @map: the machine code from address @from on was compiled from bytecode
 * @location of @method. Return false if out of memory. */
static bool add(struct debug_line_info *map, size_t *nr, struct methods *methods, const void *from,
		jmethodID method, jlocation location)
{
	const struct method_lines *lines = lines_of(methods, method);
	unsigned int line = lines ? line_at(lines, location) : 0;

	if (!lines)
		return false;
	if (line && lines->file)
		map[(*nr)++] = (struct debug_line_info){
			.vma = (uintptr_t)from,
			.lineno = line,
			.filename = lines->file,
		};
	return true;
}

static const jvmtiCompiledMethodLoadInlineRecord *inline_record(const void *info)
{
	for (const jvmtiCompiledMethodLoadRecordHeader *header = info; header;
	     header = header->next)
		if (header->kind == JVMTI_CMLR_INLINE_INFO)
			return (const jvmtiCompiledMethodLoadInlineRecord *)header;
	return NULL;
}

/*
 * Write the source lines of a compiled method with inlined methods. The record of the virtual
 * machine lists only safepoints, each with the address after its instruction. So each entry
 * describes the code from the previous entry's address up to its own address.
 */
static void write_inlined(struct methods *methods, const void *code,
			 const jvmtiCompiledMethodLoadInlineRecord *record)
{
	struct debug_line_info *map = calloc(record->numpcs > 0 ? record->numpcs : 1, sizeof(*map));
	const void *from = code;
	size_t nr = 0;

	for (jint i = 0; map && i < record->numpcs; i++) {
		const PCStackInfo *place = &record->pcinfo[i];

		if (place->numstackframes > 0 &&
		    !add(map, &nr, methods, from, place->methods[0], place->bcis[0]))
			break;
		from = place->pc;
	}
	/* Write the map before returning, because it points to names in @methods, which the caller
	 * frees. */
	if (nr)
		op_write_debug_line_info(agent, code, nr, map);
	free(map);
}

static void write_lines(struct methods *methods, jmethodID method, const void *code, jint nr_places,
		       const jvmtiAddrLocationMap *places)
{
	struct debug_line_info *map = calloc(nr_places > 0 ? nr_places : 1, sizeof(*map));
	size_t nr = 0;

	for (jint i = 0; map && places && i < nr_places; i++)
		if (!add(map, &nr, methods, places[i].start_address, method, places[i].location))
			break;
	if (nr)
		op_write_debug_line_info(agent, code, nr, map);
	free(map);
}

static void JNICALL compiled_method_load(jvmtiEnv *jvmti, jmethodID method, jint size,
					 const void *code, jint nr_places,
					 const jvmtiAddrLocationMap *places, const void *info)
{
	const jvmtiCompiledMethodLoadInlineRecord *record = inline_record(info);
	char *class_signature = NULL, *method_name = NULL, *signature = NULL, *name = NULL;
	struct methods methods = { .jvmti = jvmti };
	jclass class;

	if (!(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_signature, NULL) &&
	    !(*jvmti)->GetMethodName(jvmti, method, &method_name, &signature, NULL))
		name = opa_java_name(class_signature, method_name, signature);
	if (name && size > 0 && !op_write_native_code(agent, name, (uintptr_t)code, code, size)) {
		if (record)
			write_inlined(&methods, code, record);
		else
			write_lines(&methods, method, code, nr_places, places);
	}
	release(&methods);
	free(name);
	free_text(jvmti, class_signature);
	free_text(jvmti, method_name);
	free_text(jvmti, signature);
}

static void JNICALL compiled_method_unload(jvmtiEnv *jvmti, jmethodID method, const void *code)
{
	(void)jvmti, (void)method;
	op_unload_native_code(agent, (uintptr_t)code);
}

static void JNICALL dynamic_code_generated(jvmtiEnv *jvmti, const char *name, const void *code,
					   jint size)
{
	(void)jvmti;
	if (size > 0)
		op_write_native_code(agent, name, (uintptr_t)code, code, size);
}

static jint complain(const char *text)
{
	fprintf(stderr, "libjvmti_oprofile: %s\n", text);
	return JNI_ERR;
}

static jint begin(JavaVM *vm, const char *options, bool attached)
{
	static const jvmtiEventCallbacks callbacks = {
		.CompiledMethodLoad = compiled_method_load,
		.CompiledMethodUnload = compiled_method_unload,
		.DynamicCodeGenerated = dynamic_code_generated,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_COMPILED_METHOD_LOAD,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
	};
	const jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_get_source_file_name = 1,
		.can_get_line_numbers = 1,
	};
	jvmtiEnv *jvmti;

	if (options && *options)
		return complain("the agent takes no options");
	if (agent)
		return JNI_OK;	/* the agent was attached a second time: ignore the second call */
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_1))
		return complain("this Java virtual machine has no JVMTI 1.1");
	if ((*jvmti)->AddCapabilities(jvmti, &wanted))
		return complain("this Java virtual machine does not report compiled methods");
	agent = op_open_agent();
	if (!agent) {
		perror("libjvmti_oprofile: no file for the names of compiled methods");
		return JNI_ERR;
	}
	if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return complain("this Java virtual machine refuses callbacks");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL))
			return complain(
				"this Java virtual machine does not report compiled methods");
	if (attached) {
		(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
		(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	}
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return begin(vm, options, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return begin(vm, options, true);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
	if (agent)
		op_close_agent(agent);
	agent = NULL;
}
