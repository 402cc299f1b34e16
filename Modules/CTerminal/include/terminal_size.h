#ifndef AIRLINK_TERMINAL_SIZE_H
#define AIRLINK_TERMINAL_SIZE_H

/* How many columns and rows the terminal `fd` has; 0 for what it does not say.
   0, or -1 when `fd` is no terminal. In C: where Linux's own headers are seen
   too, Swift finds `struct winsize` in a module that nobody may import. */
int airlink_terminal_size(int fd, int *columns, int *rows);

#endif
