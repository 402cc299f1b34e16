// libdbus, the reference implementation of D-Bus. Its variadic functions are not needed: messages are
// written and read by iterators.
#include <dbus/dbus.h>
