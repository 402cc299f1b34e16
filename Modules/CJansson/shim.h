#include <jansson.h>

// A macro in the library, which Swift does not see.
static inline json_type airlink_json_typeof(const json_t *value) { return json_typeof(value); }
