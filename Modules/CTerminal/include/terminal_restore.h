#ifndef AIRLINK_TERMINAL_RESTORE_H
#define AIRLINK_TERMINAL_RESTORE_H

/* Remembers the mode that the terminal `fd` is in, and from then on gives it
   back, after writing `farewell` (NUL-terminated, copied, at most 63 bytes),
   when the process exits or dies of a signal that nobody handles.
   0, or -1 when `fd` is no terminal. */
int airlink_terminal_remember(int fd, const char *farewell);

/* Gives the terminal back now. Safe in a signal handler. */
void airlink_terminal_restore(void);

/* Sets the mode that was found, for as long as the shell has the terminal. */
void airlink_terminal_set_found_mode(void);

/* Sets the mode that was found and gives nothing back from here on. */
void airlink_terminal_forget(void);

#endif
