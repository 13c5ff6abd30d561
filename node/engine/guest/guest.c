/* The guest: quickjs-ng compiled to WebAssembly, with the functions that the prelude and the host call.

   One instance is one JavaScript runtime with one context. `snapshot.py` starts the engine once, loads the prelude and
   the libraries, and bakes the memory into a module; every action then runs in a fresh instance of that module.

   quickjs.c is included and not linked: `settle_heap` reads the allocator's free lists, and `evaluate` names the script
   of the action, for which quickjs-ng has no public function. Nothing in quickjs-ng is changed. */

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

/* quickjs-ng leaves `Atomics` out for WASI, where it has no threads. Without threads its locks are empty, and nothing ever
   waits: a runtime may not block unless it is told so (JS_SetCanBlock). */
#define CONFIG_ATOMICS
typedef struct { char unused; } js_mutex_t, js_cond_t, js_once_t;
#define JS_ONCE_INIT {0}
static inline void js_once(js_once_t *guard, void (*callback)(void)) { (void)guard; callback(); }
static inline void js_mutex_init(js_mutex_t *mutex) { (void)mutex; }
static inline void js_mutex_lock(js_mutex_t *mutex) { (void)mutex; }
static inline void js_mutex_unlock(js_mutex_t *mutex) { (void)mutex; }
static inline void js_cond_init(js_cond_t *cond) { (void)cond; }
static inline void js_cond_destroy(js_cond_t *cond) { (void)cond; }
static inline void js_cond_signal(js_cond_t *cond) { (void)cond; }
static inline void js_cond_wait(js_cond_t *cond, js_mutex_t *mutex) { (void)cond, (void)mutex; __builtin_trap(); }
static inline int js_cond_timedwait(js_cond_t *cond, js_mutex_t *mutex, uint64_t timeout) {
    (void)cond, (void)mutex, (void)timeout;
    __builtin_trap();
}

#include "quickjs.c"

#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- What the guest asks the host for. Addresses are of the guest's memory. */

/* Takes a part of the stream of frames: called when `out` is full. */
IMPORT(emit) void host_emit(const void *at, uint32_t length);
/* Calls a native function with arguments of [u32 length, little endian][bytes]; writes the answer into `exchange` and
   returns its length, or -1 for none. CALL_AGAIN: it takes long; the turn may be interrupted between its steps. */
#define CALL_AGAIN -2
IMPORT(native) int32_t host_native(int32_t id, const void *at, uint32_t length);
/* Nanoseconds: 0 of real time, 1 of monotonic time. */
IMPORT(clock) int64_t host_clock(int32_t id);
IMPORT(random) void host_random(void *at, uint32_t length);
/* The size of a library's bytecode, or -1; copied to `at` when that is not NULL. */
IMPORT(library) int32_t host_library(const void *name, uint32_t name_length, void *at, uint32_t room);

/* ---- Buffers that the host reads and writes. */

#define EXCHANGE_BYTES (128 << 10) /* a job, an answer or the arguments of a native function, nearly always */
#define OUT_BYTES (64 << 10)       /* frames of one turn, nearly always */
static uint8_t exchange[EXCHANGE_BYTES] __attribute__((aligned(4096)));
static uint8_t out[OUT_BYTES] __attribute__((aligned(4096)));
static uint32_t out_used;

EXPORT(exchange_at) void *exchange_at(void) { return exchange; }
EXPORT(exchange_size) uint32_t exchange_size(void) { return EXCHANGE_BYTES; }
EXPORT(out_at) void *out_at(void) { return out; }
/* So that the host can read what is in `out` of a turn that was interrupted. */
EXPORT(out_used_at) void *out_used_at(void) { return &out_used; }
EXPORT(alloc) void *alloc(uint32_t size) { return malloc(size); }
EXPORT(release) void release(void *at) { free(at); }

static void put(const void *bytes, uint32_t length) {
    if (length > OUT_BYTES - out_used) {
        host_emit(out, out_used);
        out_used = 0;
        if (length > OUT_BYTES) {
            host_emit(bytes, length);
            return;
        }
    }
    memcpy(out + out_used, bytes, length);
    out_used += length;
}

static void put_frame(char kind, const char *text, uint32_t length) {
    const uint8_t head[5] = {(uint8_t)kind, length >> 24, length >> 16, length >> 8, length};
    put(head, sizeof head);
    put(text, length);
}

/* ---- What wasi-libc would import from WASI: the guest has no files, no environment and no time zone. */

static bool is_starting;                           /* while the context is made, which asks for the time and keeps it */
static int64_t known_real_ns, known_monotonic_ns;  /* given with a call of `run`, good for the first question */

int clock_gettime(clockid_t id, struct timespec *answer) {
    int64_t *known = id == CLOCK_REALTIME ? &known_real_ns : &known_monotonic_ns;
    int64_t ns = *known;
    *known = 0;
    if (is_starting) ns = 0;
    else if (ns == 0) ns = host_clock(id == CLOCK_REALTIME ? 0 : 1);
    answer->tv_sec = ns / 1000000000;
    answer->tv_nsec = ns % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict answer, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    answer->tv_sec = now.tv_sec;
    answer->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* Only `tm_gmtoff` is read. */
struct tm *localtime_r(const time_t *restrict time, struct tm *restrict answer) {
    (void)time;
    return memset(answer, 0, sizeof *answer);
}

_Noreturn void abort(void) { __builtin_trap(); }
_Noreturn void __assert_fail(const char *text, const char *file, int line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    __builtin_trap();
}

#define WASI_BAD_DESCRIPTOR 8
#define NO_FILE(name, ...) int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__) { return WASI_BAD_DESCRIPTOR; }
NO_FILE(fd_write, int32_t fd, int32_t parts, int32_t count, int32_t written)
NO_FILE(fd_close, int32_t fd)
NO_FILE(fd_seek, int32_t fd, int64_t offset, int32_t whence, int32_t answer)
NO_FILE(fd_fdstat_get, int32_t fd, int32_t answer)

/* ---- Memory. The host's limiter refuses growth beyond the action's limit. */

static JSRuntime *rt;
static JSContext *ctx;
static JSValue bridge = JS_UNDEFINED;
static bool has_ended; /* a frame that ends the action was put out */

/* A refused small block means that memory is used up; a refused large one says only that it was too large. */
#define SMALL_BYTES (64 << 10)
#define WASM_PAGE_BYTES ((uintptr_t)64 << 10)
static bool is_used_up;

/* What wasi-libc's allocator takes memory with: its own cannot be told to refuse. Volatile: the compiler knows malloc as a
   function that reads no variable of ours. */
static volatile bool is_settling;
void *sbrk(intptr_t increment) {
    uintptr_t end = __builtin_wasm_memory_size(0) * WASM_PAGE_BYTES;
    if (increment == 0) return (void *)end;
    uintptr_t pages = ((uintptr_t)increment + WASM_PAGE_BYTES - 1) / WASM_PAGE_BYTES;
    if (increment < 0 || is_settling || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
        errno = ENOMEM;
        return (void *)-1;
    }
    return (void *)end;
}

static void *noted(void *block, size_t size) {
    if (!block && size <= SMALL_BYTES) is_used_up = true;
    return block;
}
static void *counted_calloc(void *opaque, size_t count, size_t size) { return noted(calloc(count, size), count * size); }
static void *counted_malloc(void *opaque, size_t size) { return noted(malloc(size), size); }
static void *counted_realloc(void *opaque, void *at, size_t size) { return noted(realloc(at, size), size); }
static void counted_free(void *opaque, void *at) { free(at); }
static size_t usable_size(const void *at) { return malloc_usable_size((void *)at); }
static const JSMallocFunctions ALLOCATOR = {counted_calloc, counted_malloc, counted_free, counted_realloc, usable_size};

/* ---- Functions of the global scope that the prelude takes and deletes. */

static JSValue js_emit(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    size_t kind_length, length;
    const char *kind = JS_ToCStringLen(c, &kind_length, argv[0]);
    const char *text = kind ? JS_ToCStringLen(c, &length, argv[1]) : NULL;
    if (text) put_frame(kind[0], text, length);
    if (text && strchr("DEMX", kind[0])) has_ended = true;
    JS_FreeCString(c, text);
    JS_FreeCString(c, kind);
    return text ? JS_UNDEFINED : JS_EXCEPTION;
}

static JSValue js_random_hex(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    static const char digits[] = "0123456789abcdef";
    int32_t count;
    if (JS_ToInt32(c, &count, argv[0])) return JS_EXCEPTION;
    if (count < 0) count = 0;
    if (count > EXCHANGE_BYTES / 3) count = EXCHANGE_BYTES / 3;
    char *text = (char *)exchange;
    uint8_t *drawn = exchange + 2 * count;
    host_random(drawn, count);
    for (int32_t i = 0; i < count; i++) {
        uint8_t byte = drawn[i];
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    JSValue hex = JS_NewStringLen(c, text, 2 * count);
    memset(exchange, 0, 3 * count); /* keys are made of it */
    return hex;
}

static JSValue js_memory_stayed_below(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    return JS_NewString(c, is_used_up ? "" : "below");
}

/* Indirect eval under the name of the action's file. */
static JSValue js_evaluate(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    size_t length;
    const char *text = JS_ToCStringLen(c, &length, argv[0]);
    if (!text) return JS_EXCEPTION;
    JSValue value = JS_EvalInternal(c, c->global_obj, text, length, "action.js", 1, JS_EVAL_TYPE_INDIRECT, -1);
    JS_FreeCString(c, text);
    return value;
}

#define NATIVE_ARGUMENTS_MAX 5
static JSValue js_native(JSContext *c, JSValueConst self, int argc, JSValueConst *argv, int id) {
    const char *texts[NATIVE_ARGUMENTS_MAX];
    size_t lengths[NATIVE_ARGUMENTS_MAX], total = 0;
    int count = 0;
    JSValue answer = JS_EXCEPTION;
    for (; count < argc && count < NATIVE_ARGUMENTS_MAX; count++) {
        texts[count] = JS_ToCStringLen(c, &lengths[count], argv[count]);
        if (!texts[count]) goto done;
        total += 4 + lengths[count];
    }
    uint8_t *arguments = total > EXCHANGE_BYTES ? js_malloc(c, total) : exchange;
    if (!arguments) goto done;
    uint8_t *at = arguments;
    for (int i = 0; i < count; i++) {
        uint32_t length = lengths[i];
        memcpy(at, &length, 4);
        memcpy(at + 4, texts[i], length);
        at += 4 + length;
    }
    int32_t length;
    do length = host_native(id, arguments, total);
    while (length == CALL_AGAIN);
    if (arguments != exchange) js_free(c, arguments);
    answer = JS_NewStringLen(c, (const char *)exchange, length < 0 || length > EXCHANGE_BYTES ? 0 : length);
done:
    while (count > 0) JS_FreeCString(c, texts[--count]);
    return answer;
}

/* Answers what the bytecode evaluates to. */
static JSValue evaluate_bytecode(JSContext *c, const uint8_t *code, size_t length) {
    JSValue function = JS_ReadObject(c, code, length, JS_READ_OBJ_BYTECODE);
    return JS_IsException(function) ? function : JS_EvalFunction(c, function);
}

/* The bytecode of a library by its name: of what the snapshot lacks. */
static JSValue js_load_library(JSContext *c, JSValueConst self, int argc, JSValueConst *argv) {
    size_t name_length;
    const char *name = JS_ToCStringLen(c, &name_length, argv[0]);
    if (!name) return JS_EXCEPTION;
    JSValue value = JS_EXCEPTION;
    int32_t size = host_library(name, name_length, NULL, 0);
    uint8_t *code = size > 0 ? js_malloc(c, size) : NULL;
    if (code && host_library(name, name_length, code, size) == size) value = evaluate_bytecode(c, code, size);
    else if (size <= 0 || code) value = JS_ThrowInternalError(c, "the library cannot be loaded");
    js_free(c, code);
    JS_FreeCString(c, name);
    return value;
}

/* ---- A turn of the action. */

enum { NO_TIMER = -1, ENDED = -2 };
static const char *const OPERATIONS[] = {"start", "settle", "tick"};

/* Takes over the text. */
static JSValue call_bridge(const char *operation, JSValue text) {
    JSValue arguments[2] = {JS_NewString(ctx, operation), text};
    JSValue value = JS_EXCEPTION;
    if (!JS_IsException(arguments[0]) && !JS_IsException(arguments[1]))
        value = JS_Call(ctx, bridge, JS_NULL, 2, vc(arguments));
    JS_FreeValue(ctx, arguments[0]);
    JS_FreeValue(ctx, arguments[1]);
    return value;
}

/* Runs pending jobs until the action ends; false when one of them threw, which is only a lack of memory or of stack. */
static bool run_jobs(void) {
    JSContext *of_job;
    int done = 0;
    while (!has_ended && (done = JS_ExecutePendingJob(rt, &of_job)) > 0) {}
    return done >= 0;
}

/* Ends the action whose bridge threw: "M" when memory was used up, else "X". Without room for an error quickjs throws null. */
static int32_t end_by_exception(void) {
    JSValue thrown = JS_GetException(ctx);
    bool is_memory = JS_IsNull(thrown) || is_used_up;
    if (!is_memory && JS_IsError(thrown)) {
        JSValue message = JS_GetPropertyStr(ctx, thrown, "message");
        const char *text = JS_ToCString(ctx, message);
        is_memory = text && strcmp(text, "out of memory") == 0;
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, message);
    }
    JS_FreeValue(ctx, thrown);
    put_frame(is_memory ? 'M' : 'X', "", 0);
    return ENDED;
}

static int32_t take_turn(int32_t operation, JSValue text) {
    JSValue value = call_bridge(OPERATIONS[operation], text);
    if (JS_IsException(value)) return end_by_exception();
    JS_FreeValue(ctx, value);
    if (!run_jobs()) return end_by_exception();
    if (has_ended) return ENDED;
    value = call_bridge("next", JS_NewString(ctx, ""));
    const char *wait = JS_IsException(value) ? NULL : JS_ToCString(ctx, value);
    JS_FreeValue(ctx, value);
    if (!wait) return end_by_exception();
    int32_t milliseconds = *wait ? atoi(wait) : ENDED;
    JS_FreeCString(ctx, wait);
    return milliseconds;
}

/* One turn: operation 0 start, 1 settle, 2 tick, with a text of UTF-8 JSON in `exchange` or, when it does not fit, in memory
   from `alloc`, which is released here. Returns the bytes of frames in `out` in the
   upper half; in the lower the milliseconds until a timer, NO_TIMER or ENDED. */
EXPORT(run) int64_t run(int32_t operation, char *text, uint32_t length, int64_t real_ns, int64_t monotonic_ns) {
    if (operation < 0 || operation > 2) __builtin_trap();
    out_used = 0;
    known_real_ns = real_ns;
    known_monotonic_ns = monotonic_ns;
    JS_UpdateStackTop(rt);
    JSValue json = JS_NewStringLen(ctx, text, length);
    if (text != (char *)exchange) free(text);
    int64_t wait = (uint32_t)take_turn(operation, json);
    int64_t used = out_used;
    out_used = 0; /* for who reads `out_used` of a turn that is interrupted before its first frame */
    return used << 32 | wait;
}

/* ---- For the maker of snapshots: never called in an instance of an action. */

/* Of the stack below the memory (build.py), this much is for functions of C that call each other without a check. */
#define UNCHECKED_STACK_BYTES (128 << 10)

static void add_function(const char *name, JSCFunction *function, int arguments) {
    JS_SetPropertyStr(ctx, ctx->global_obj, name, JS_NewCFunction(ctx, function, name, arguments));
}

EXPORT(start_engine) void start_engine(uint32_t stack_bytes) {
    is_starting = true;
    rt = JS_NewRuntime2(&ALLOCATOR, NULL);
    JS_SetMaxStackSize(rt, stack_bytes - UNCHECKED_STACK_BYTES);
    /* Seeds the order of hash tables with the time: every action has the same seed. Names of properties are hashed without
       any seed, and a table that an action fills badly costs its own time. */
    ctx = JS_NewContext(rt);
    is_starting = false;
    add_function("emit", js_emit, 2);
    add_function("randomHex", js_random_hex, 1);
    add_function("memoryStayedBelow", js_memory_stayed_below, 0);
    add_function("evaluate", js_evaluate, 1);
    add_function("loadLibrary", js_load_library, 1);
}

EXPORT(add_native) void add_native(const char *name, int32_t id) {
    JSCFunctionMagic *function = js_native;
    JSValue value = JS_NewCFunctionMagic(ctx, function, name, NATIVE_ARGUMENTS_MAX, JS_CFUNC_generic_magic, id);
    JS_SetPropertyStr(ctx, ctx->global_obj, name, value);
}

static void put_exception(void) {
    JSValue thrown = JS_GetException(ctx), stack = JS_GetPropertyStr(ctx, thrown, "stack");
    const char *texts[] = {JS_ToCString(ctx, thrown), "\n", JS_ToCString(ctx, stack)};
    for (int i = 0; i < 3; i++) if (texts[i]) put(texts[i], strlen(texts[i]));
}

/* Makes bytecode of a script, without its source; returns the bytes of it that it put out, or -1 with the error put out. */
EXPORT(compile) int32_t compile(const char *source, uint32_t length, const char *name) {
    out_used = 0;
    JS_UpdateStackTop(rt);
    JSValue function = JS_Eval(ctx, source, length, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    size_t size;
    uint8_t *code = NULL;
    if (!JS_IsException(function)) code = JS_WriteObject(ctx, &size, function, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
    if (code) host_emit(code, size);
    else put_exception();
    return code ? (int32_t)size : -1;
}

/* Evaluates bytecode and runs the jobs it left. Its value becomes the bridge, or is a function that then answers a text to
   put out. Returns the bytes in `out`; -1 - bytes when it threw. */
EXPORT(load) int32_t load(const uint8_t *code, uint32_t length, int32_t is_bridge) {
    out_used = 0;
    JS_UpdateStackTop(rt);
    JSValue value = evaluate_bytecode(ctx, code, length);
    bool is_loaded = !JS_IsException(value) && run_jobs();
    if (is_loaded && is_bridge) bridge = value;
    else if (is_loaded && JS_IsFunction(ctx, value)) {
        JSValue answer = JS_Call(ctx, value, JS_UNDEFINED, 0, NULL);
        const char *text = JS_ToCString(ctx, answer);
        if (text) put(text, strlen(text));
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, answer);
        JS_FreeValue(ctx, value);
    }
    if (is_loaded) return (int32_t)out_used;
    put_exception();
    return -1 - (int32_t)out_used;
}

#define FREE_BYTES (256 << 10) /* what an action finds free at least: the maker of snapshots frees more (running.py) */
#define LARGEST_HOLE_BYTES (4 << 20)
#define SMALLEST_HOLE_BYTES 64
#define KEPT_HOLE_BYTES (16 << 10)
#define HOLES_MAX 4096

/* Takes every free block, so that the action's memory comes from pages of its own and not from many pages of the snapshot,
   each of which would be copied. Holes of some pages are zeroed and given back. */
static void fill_holes(void) {
    static void *large[HOLES_MAX];
    int count = 0;
    for (int i = 0; i < JS_ARENA_BLOCK_SIZE_COUNT; i++) {
        struct list_head *free_arenas = &rt->arena_state.free_arena_list[i];
        while (free_arenas->next != free_arenas) js_arena_malloc(rt, arena_block_sizes[i] - sizeof(JSMallocBlockHeader));
    }
    free(malloc(FREE_BYTES));
    is_settling = true;
    for (uint32_t size = LARGEST_HOLE_BYTES; size >= SMALLEST_HOLE_BYTES; size = size * 7 / 8) {
        void *hole;
        while ((hole = malloc(size))) {
            memset(hole, 0, size);
            if (size >= KEPT_HOLE_BYTES && count < HOLES_MAX) large[count++] = hole;
        }
    }
    while (count > 0) free(large[--count]);
    is_settling = false;
}

/* Makes memory ready to be baked: garbage collected, holes filled, buffers empty. `gc_bytes`: how much an action may
   allocate before garbage is collected for the first time. */
EXPORT(settle_heap) void settle_heap(uint32_t gc_bytes) {
    JS_RunGC(rt);
    fill_holes();
    JS_SetGCThreshold(rt, rt->malloc_state.malloc_size + gc_bytes);
    memset(exchange, 0, sizeof exchange);
    memset(out, 0, sizeof out);
    out_used = 0;
}
