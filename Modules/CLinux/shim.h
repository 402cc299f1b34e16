// The parts of Linux that the Glibc module does not show: epoll, eventfd, timerfd, rtnetlink, accept4, mallinfo2.
//
// What these headers share with Glibc (timespec, sockaddr) stays Glibc's own: otherwise an optimised
// build takes this module for its home, and every file that names it would have to import this one.
#pragma clang module import SwiftGlibc
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/socket.h>

// glibc shows these to _GNU_SOURCE only, which a module cannot set for others.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end);
