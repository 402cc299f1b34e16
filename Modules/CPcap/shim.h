// What pcap.h shares with Glibc (timeval, FILE) stays Glibc's own, as in CLinux.
#pragma clang module import SwiftGlibc
#include <pcap/pcap.h>
