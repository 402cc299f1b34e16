// Avahi's two libraries, loaded when they are first needed.
//
// They cannot both be linked: libavahi-client and libavahi-core each have a function of the name
// avahi_entry_group_free, and the one that is linked first is called by both, which ends in a crash
// as soon as the other frees a group. Loaded by dlopen, each sees its own. A node that finds others
// by only one of them, or by none, does not carry the other around.
#ifndef AIRLINK_CAVAHI_H
#define AIRLINK_CAVAHI_H

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>
#include <avahi-common/watch.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <stdbool.h>

#define AIRLINK_AVAHI_CLIENT_CALLS(X) \
  X(avahi_client_new) \
  X(avahi_client_free) \
  X(avahi_client_errno) \
  X(avahi_service_browser_new) \
  X(avahi_service_browser_free) \
  X(avahi_service_resolver_new) \
  X(avahi_service_resolver_free) \
  X(avahi_entry_group_new) \
  X(avahi_entry_group_add_service_strlst) \
  X(avahi_entry_group_commit) \
  X(avahi_entry_group_free)

#define AIRLINK_AVAHI_CORE_CALLS(X) \
  X(avahi_set_log_function) \
  X(avahi_server_config_init) \
  X(avahi_server_config_free) \
  X(avahi_server_new) \
  X(avahi_server_free) \
  X(avahi_server_errno) \
  X(avahi_server_set_host_name) \
  X(avahi_server_add_address) \
  X(avahi_server_add_service_strlst) \
  X(avahi_s_service_browser_new) \
  X(avahi_s_service_browser_free) \
  X(avahi_s_service_resolver_new) \
  X(avahi_s_service_resolver_free) \
  X(avahi_s_entry_group_new) \
  X(avahi_s_entry_group_commit) \
  X(avahi_s_entry_group_free)

#define AIRLINK_AVAHI_FIELD(name) __typeof__(name) *name;

/// The functions of libavahi-client, under their own names.
struct airlink_avahi_client {
  AIRLINK_AVAHI_CLIENT_CALLS(AIRLINK_AVAHI_FIELD)
};

/// The functions of libavahi-core, under their own names.
struct airlink_avahi_core {
  AIRLINK_AVAHI_CORE_CALLS(AIRLINK_AVAHI_FIELD)
};

/// Loads libavahi-client, once; NULL when it is not installed or lacks a function.
const struct airlink_avahi_client *airlink_avahi_client(void);

/// Loads libavahi-core, once; NULL when it is not installed or lacks a function.
const struct airlink_avahi_core *airlink_avahi_core(void);

#endif
