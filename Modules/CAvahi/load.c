#include <CAvahi.h>
#include <dlfcn.h>
#include <pthread.h>

// RTLD_LOCAL keeps each library's names from the other.
#define LIBRARY(kind, soname, CALLS) \
  static struct airlink_avahi_##kind kind##_calls; \
  static bool kind##_loaded; \
  static void load_##kind(void) { \
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL); \
    kind##_loaded = library != NULL; \
    if (library) { CALLS(kind##_FIND) } \
  } \
  const struct airlink_avahi_##kind *airlink_avahi_##kind(void) { \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    pthread_once(&once, load_##kind); \
    return kind##_loaded ? &kind##_calls : NULL; \
  }

#define FIND(kind, name) \
  kind##_calls.name = (__typeof__(kind##_calls.name))dlsym(library, #name); \
  if (!kind##_calls.name) kind##_loaded = false;
#define client_FIND(name) FIND(client, name)
#define core_FIND(name) FIND(core, name)

LIBRARY(client, "libavahi-client.so.3", AIRLINK_AVAHI_CLIENT_CALLS)
LIBRARY(core, "libavahi-core.so.7", AIRLINK_AVAHI_CORE_CALLS)
