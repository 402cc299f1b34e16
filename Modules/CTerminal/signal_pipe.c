#define _GNU_SOURCE
#include "signal_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

static void on_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // Full only when thousands wait: then the reader is told enough as it is.
  ssize_t written = write(ends[1], &byte, 1);
  (void)written;
  errno = saved;
}

int airlink_signal_pipe(void) {
  if (ends[0] < 0 && pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return -1;
  return ends[0];
}

int airlink_signal_watch(int number) {
  if (airlink_signal_pipe() < 0) return -1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}
