#include "terminal_size.h"

#include <sys/ioctl.h>

int airlink_terminal_size(int fd, int *columns, int *rows)
{
	struct winsize window = {0};
	if (ioctl(fd, TIOCGWINSZ, &window) != 0)
		return -1;
	*columns = window.ws_col;
	*rows = window.ws_row;
	return 0;
}
