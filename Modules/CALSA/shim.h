#include <alsa/asoundlib.h>

static void airlink_alsa_ignore(
    const char *file, int line, const char *function, int error, const char *format, ...) {}

/// Keeps libasound from writing to standard error; what it says comes back as error numbers, too.
static inline void airlink_alsa_be_quiet(void) {
  snd_lib_error_set_handler(airlink_alsa_ignore);
}
