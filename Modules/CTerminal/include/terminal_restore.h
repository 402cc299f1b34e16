#ifndef AIRLINK_TERMINAL_RESTORE_H
#define AIRLINK_TERMINAL_RESTORE_H

/* Remembers the mode that the terminal `fd` is in, and from then on gives it
   back, after writing `farewell` (NUL-terminated, copied, at most 63 bytes),
   when the process exits or dies of a signal that nobody handles.
   0, or -1 when `fd` is no terminal. */
int airlink_terminal_remember(int fd, const char *farewell);

/* Gives the terminal back now. Safe in a signal handler. */
void airlink_terminal_restore(void);

/* Gives nothing back from here on. */
void airlink_terminal_forget(void);

#endif
