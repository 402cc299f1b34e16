/* A terminal left in raw mode is unusable, so it is given back whatever ends
   the process. In C: a signal handler may use neither the heap nor a lock, and
   Swift promises neither. */

#include "terminal_restore.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios found_mode;
static char parting[64];
static size_t parting_length;
static volatile sig_atomic_t terminal = -1;

/* Signals that end a process unless it handles them: faults first, for which
   there may be a crash reporter to go on to. */
static const int deadly[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS,
	SIGQUIT, SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXCPU,
};
enum { deadly_count = sizeof(deadly) / sizeof(deadly[0]), fault_count = 7 };
static struct sigaction before[deadly_count];

/* In the background the terminal is the shell's, and its mode is the shell's
   affair. A terminal that does not control us has no foreground. */
static int is_ours(int fd)
{
	pid_t group = tcgetpgrp(fd);
	return group < 0 || group == getpgrp();
}

void airlink_terminal_restore(void)
{
	int fd = terminal;
	int saved = errno;
	if (fd < 0)
		return;
	terminal = -1;
	if (!is_ours(fd)) {
		errno = saved;
		return;
	}
	/* Mode first: a terminal that takes no more bytes still changes its mode.
	   A farewell that does not fit is all there is to lose. */
	(void)tcsetattr(fd, TCSANOW, &found_mode);
	if (write(fd, parting, parting_length) < 0) {
	}
	errno = saved;
}

static void die(int signal_number)
{
	airlink_terminal_restore();
	/* What would have happened without us happens now: the action found
	   before (the default, or a crash reporter) gets the signal again. */
	for (int i = 0; i < deadly_count; i++)
		if (deadly[i] == signal_number)
			(void)sigaction(signal_number, &before[i], NULL);
	(void)raise(signal_number);
}

int airlink_terminal_remember(int fd, const char *farewell)
{
	static int at_exit_is_set = 0;
	if (tcgetattr(fd, &found_mode) != 0)
		return -1;
	parting_length = strnlen(farewell, sizeof(parting));
	memcpy(parting, farewell, parting_length);
	terminal = fd;
	for (int i = 0; i < deadly_count; i++) {
		struct sigaction ours;
		memset(&ours, 0, sizeof(ours));
		ours.sa_handler = die;
		ours.sa_flags = SA_ONSTACK;
		sigemptyset(&ours.sa_mask);
		struct sigaction now;
		if (sigaction(deadly[i], NULL, &now) != 0)
			continue;
		/* Ours already, ignored, or a request to end that the program sees to
		   by itself: left alone. */
		if (now.sa_handler == die || now.sa_handler == SIG_IGN
		    || (i >= fault_count && now.sa_handler != SIG_DFL))
			continue;
		before[i] = now;
		(void)sigaction(deadly[i], &ours, NULL);
	}
	if (!at_exit_is_set) {
		at_exit_is_set = 1;
		(void)atexit(airlink_terminal_restore);
	}
	return 0;
}

void airlink_terminal_set_found_mode(void)
{
	int fd = terminal;
	if (fd >= 0 && is_ours(fd))
		(void)tcsetattr(fd, TCSANOW, &found_mode);
}

void airlink_terminal_forget(void)
{
	airlink_terminal_set_found_mode();
	terminal = -1;
	for (int i = 0; i < deadly_count; i++) {
		struct sigaction now;
		if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == die)
			(void)sigaction(deadly[i], &before[i], NULL);
	}
}
