#include <bsd/readpassphrase.h>
