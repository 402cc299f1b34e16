#ifndef AIRLINK_SIGNAL_PIPE_H
#define AIRLINK_SIGNAL_PIPE_H

/* The reading end of a pipe into which every watched signal writes its number,
   one byte a signal; made at the first call. -1 when the system has no pipe. */
int airlink_signal_pipe(void);

/* From now on this signal writes into the pipe and does nothing else.
   0, or -1 when it cannot be handled. The pipe is made first. */
int airlink_signal_watch(int number);

#endif
