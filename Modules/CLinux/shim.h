// The parts of Linux that the Glibc module does not show: epoll, eventfd, timerfd, rtnetlink.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
